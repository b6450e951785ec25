// Makes builtins.S and builtins_index.cc: the JavaScript halves and the start-up snapshot inside the program.
// usage: embed SOURCE_DIR NPM_DIR OUT_DIR
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

using File = std::pair<std::string, std::string>;  // name inside the program, path on disk

/// A source is embedded as it is and read as Latin-1, so it must be ASCII.
void CheckAscii(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (size_t i = 0; i < text.size(); i++) {
    if (static_cast<unsigned char>(text[i]) < 0x80) continue;
    size_t line = 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(i), '\n'));
    fprintf(stderr, "%s:%zu: not ASCII; write it as an escape\n", path.c_str(), line);
    exit(1);
  }
}

void Collect(const fs::path& root, const std::string& prefix, std::vector<File>& files) {
  if (!fs::exists(root)) return;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".js") continue;
    std::string name = fs::relative(entry.path(), root).string();
    files.emplace_back(prefix + name.substr(0, name.size() - 3), entry.path().string());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::vector<File> files;
  Collect(argv[1], "", files);
  Collect(argv[2], "npm/", files);
  std::sort(files.begin(), files.end());
  std::ofstream assembly(std::string(argv[3]) + "/builtins.S");
  std::ofstream index(std::string(argv[3]) + "/builtins_index.cc");
  assembly << ".section .rodata\n";
  index << "#include \"runtime/builtins.h\"\nextern \"C\" {\n";
  for (size_t i = 0; i < files.size(); i++) {
    CheckAscii(files[i].second);
    std::string label = "gyre_builtin_" + std::to_string(i);
    assembly << ".global " << label << "\n" << label << ":\n.incbin \"" << files[i].second << "\"\n";
    index << "extern const char " << label << "[];\n";
  }
  std::string end = "gyre_builtin_" + std::to_string(files.size());
  assembly << ".global " << end << "\n" << end << ":\n.balign 64\n.global gyre_snapshot_begin\ngyre_snapshot_begin:\n"
           << ".incbin \"" << argv[3] << "/snapshot.blob\"\n.global gyre_snapshot_end\ngyre_snapshot_end:\n.byte 0\n"
           << ".section .note.GNU-stack,\"\",@progbits\n";
  index << "extern const char " << end << "[];\nextern const char gyre_snapshot_begin[], gyre_snapshot_end[];\n}\n"
        << "namespace gyre::runtime {\nstatic const BuiltinFile kFiles[] = {\n";
  for (size_t i = 0; i < files.size(); i++) {
    index << "    {\"" << files[i].first << "\", gyre_builtin_" << i << ", gyre_builtin_" << i + 1 << "},\n";
  }
  index << "};\nstd::span<const BuiltinFile> EmbeddedBuiltins() { return kFiles; }\n"
        << "std::span<const char> EmbeddedSnapshot() { return {gyre_snapshot_begin, gyre_snapshot_end}; }\n"
        << "std::optional<std::string> ReadBuiltinFromDisk(std::string_view) { return std::nullopt; }\n"
        << "}  // namespace gyre::runtime\n";
  return assembly.good() && index.good() ? 0 : 1;
}
