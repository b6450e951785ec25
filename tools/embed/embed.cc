// Makes builtins.S and builtins_index.cc: the JavaScript halves inside the program.
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

/// A source is read as Latin-1 at run time, so that it need not be copied: what is not ASCII becomes escapes, which mean the
/// same in strings, regular expressions and names. Returns the path of what to embed.
std::string Ascii(const std::string& path, const std::string& copy) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; })) return path;
  std::string out;
  auto escape = [&](unsigned unit) {
    char digits[8];
    snprintf(digits, sizeof digits, "\\u%04x", unit);
    out += digits;
  };
  for (size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 1) {
      out += text[i++];
      continue;
    }
    unsigned point = lead & (0xff >> (length + 1));
    for (size_t k = 1; k < length && i + k < text.size(); k++) {
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3f);
    }
    if (point >= 0x10000) {
      escape(0xd800 + ((point - 0x10000) >> 10));
      escape(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      escape(point);
    }
    i += length;
  }
  std::ofstream(copy, std::ios::binary) << out;
  return copy;
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
    std::string label = "gyre_builtin_" + std::to_string(i);
    std::string source = Ascii(files[i].second, std::string(argv[3]) + "/" + label + ".js");
    assembly << ".global " << label << "\n" << label << ":\n.incbin \"" << source << "\"\n";
    index << "extern const char " << label << "[];\n";
  }
  std::string end = "gyre_builtin_" + std::to_string(files.size());
  assembly << ".global " << end << "\n" << end << ":\n.byte 0\n.section .note.GNU-stack,\"\",@progbits\n";
  index << "extern const char " << end << "[];\n}\n"
        << "namespace gyre::runtime {\nstatic const BuiltinFile kFiles[] = {\n";
  for (size_t i = 0; i < files.size(); i++) {
    index << "    {\"" << files[i].first << "\", gyre_builtin_" << i << ", gyre_builtin_" << i + 1 << "},\n";
  }
  index << "};\nstd::span<const BuiltinFile> EmbeddedBuiltins() { return kFiles; }\n"
        << "std::optional<std::string> ReadBuiltinFromDisk(std::string_view) { return std::nullopt; }\n"
        << "}  // namespace gyre::runtime\n";
  return assembly.good() && index.good() ? 0 : 1;
}
