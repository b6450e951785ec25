// The functions of one hash each are deprecated in favour of contexts, which are what costs here.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "modules/crypto/pbkdf2.h"

#include <emmintrin.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace gyre::crypto {
namespace {

template <class Ctx, class Word, size_t digest_size, int (*InitFn)(Ctx*), int (*UpdateFn)(Ctx*, const void*, size_t),
          int (*FinalFn)(unsigned char*, Ctx*), void (*TransformFn)(Ctx*, const unsigned char*)>
struct Sha {
  using Context = Ctx;
  static constexpr size_t kWord = sizeof(Word);
  static constexpr size_t kBlock = 16 * kWord;
  static constexpr size_t kDigest = digest_size;
  static constexpr size_t kWords = digest_size / kWord;
  static constexpr auto Init = InitFn;
  static constexpr auto Update = UpdateFn;
  static constexpr auto Final = FinalFn;
  static constexpr auto Transform = TransformFn;
  using Words = Word[kWords];

  // The chaining value is what each context begins with.
  static void Load(const Ctx& ctx, Words& words) { std::memcpy(words, &ctx, sizeof words); }
};
using Sha1 = Sha<SHA_CTX, uint32_t, 20, SHA1_Init, SHA1_Update, SHA1_Final, SHA1_Transform>;
using Sha256 = Sha<SHA256_CTX, uint32_t, 32, SHA256_Init, SHA256_Update, SHA256_Final, SHA256_Transform>;
using Sha384 = Sha<SHA512_CTX, uint64_t, 48, SHA384_Init, SHA384_Update, SHA384_Final, SHA512_Transform>;
using Sha512 = Sha<SHA512_CTX, uint64_t, 64, SHA512_Init, SHA512_Update, SHA512_Final, SHA512_Transform>;
static_assert(offsetof(SHA_CTX, h0) == 0 && offsetof(SHA_CTX, h4) == 16);
static_assert(offsetof(SHA256_CTX, h) == 0 && offsetof(SHA512_CTX, h) == 0);

// HMAC (RFC 2104) with a key whose two first blocks are hashed once.
template <class Hash>
class Hmac {
 public:
  explicit Hmac(std::string_view key) {
    uint8_t block[Hash::kBlock] = {};
    if (key.size() > Hash::kBlock) {
      typename Hash::Context ctx;
      Hash::Init(&ctx);
      Hash::Update(&ctx, key.data(), key.size());
      Hash::Final(block, &ctx);
      OPENSSL_cleanse(&ctx, sizeof ctx);
    } else {
      std::copy(key.begin(), key.end(), block);
    }
    Start(inner_, block, 0x36);
    Start(outer_, block, 0x36 ^ 0x5c);
    OPENSSL_cleanse(block, sizeof block);
  }
  ~Hmac() {
    OPENSSL_cleanse(&inner_, sizeof inner_);
    OPENSSL_cleanse(&outer_, sizeof outer_);
  }
  Hmac(const Hmac&) = delete;
  Hmac& operator=(const Hmac&) = delete;

  void Mac(std::string_view message, uint32_t suffix, uint8_t* out) const {
    const uint32_t big = std::byteswap(suffix);
    typename Hash::Context ctx = inner_;
    Hash::Update(&ctx, message.data(), message.size());
    Hash::Update(&ctx, &big, sizeof big);
    Hash::Final(out, &ctx);
    ctx = outer_;
    Hash::Update(&ctx, out, Hash::kDigest);
    Hash::Final(out, &ctx);
  }

  // out = out ^ U2 ^ U3 ..., where out is U1 and each U is the MAC of the one before.
  void Iterate(int count, uint8_t* out) const {
    typename Hash::Words sum, words;
    // A digest with its padding is one block, the same for the inner and the outer hash.
    alignas(16) uint8_t block[Hash::kBlock] = {};
    std::memcpy(block, out, Hash::kDigest);
    block[Hash::kDigest] = 0x80;
    constexpr size_t kBits = (Hash::kBlock + Hash::kDigest) * 8;
    block[Hash::kBlock - 2] = kBits >> 8;
    block[Hash::kBlock - 1] = kBits & 0xff;
    std::memcpy(sum, out, sizeof sum);
    typename Hash::Context ctx = inner_;
    for (int i = 0; i < count; i++) {
      Step(inner_, &ctx, block, words);
      Step(outer_, &ctx, block, words);
      for (size_t w = 0; w < Hash::kWords; w++) sum[w] ^= words[w];
    }
    std::memcpy(out, sum, sizeof sum);
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(&ctx, sizeof ctx);
  }

 private:
  static void Start(typename Hash::Context& ctx, uint8_t* block, uint8_t pad) {
    for (size_t i = 0; i < Hash::kBlock; i++) block[i] ^= pad;
    Hash::Init(&ctx);
    Hash::Update(&ctx, block, Hash::kBlock);
  }

  // One compression of `block` from the chaining value of `from`; the digest, as it stands in memory, replaces it
  // there.
  static void Step(const typename Hash::Context& from, typename Hash::Context* ctx, uint8_t* block,
                   typename Hash::Words& words) {
    std::memcpy(ctx, &from, 8 * Hash::kWord);
    Hash::Transform(ctx, block);
    Hash::Load(*ctx, words);
    for (auto& word : words) word = std::byteswap(word);
    std::memcpy(block, words, sizeof words);
  }

  typename Hash::Context inner_, outer_;
};

template <class Hash>
void Derive(std::string_view password, std::string_view salt, int iterations, std::span<uint8_t> out) {
  const Hmac<Hash> hmac(password);
  for (uint32_t index = 1; !out.empty(); index++) {
    uint8_t block[Hash::kDigest];
    hmac.Mac(salt, index, block);
    hmac.Iterate(iterations - 1, block);
    const size_t size = std::min(out.size(), Hash::kDigest);
    std::copy_n(block, size, out.data());
    out = out.subspan(size);
    OPENSSL_cleanse(block, sizeof block);
  }
}

}  // namespace

bool Pbkdf2Sha(const EVP_MD* digest, std::string_view password, std::string_view salt, int iterations,
               std::span<uint8_t> out) {
  if (EVP_MD_is_a(digest, "SHA256")) {
    Derive<Sha256>(password, salt, iterations, out);
  } else if (EVP_MD_is_a(digest, "SHA512")) {
    Derive<Sha512>(password, salt, iterations, out);
  } else if (EVP_MD_is_a(digest, "SHA1")) {
    Derive<Sha1>(password, salt, iterations, out);
  } else if (EVP_MD_is_a(digest, "SHA384")) {
    Derive<Sha384>(password, salt, iterations, out);
  } else {
    return false;
  }
  return true;
}

namespace {

// Salsa20/8 works on the diagonals of a matrix of four by four words: a block is kept in this order, a register each.
constexpr int kDiagonal[16] = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};

struct Block {
  __m128i rows[4];
};

// What follows is compiled twice, with and without the rotations of AVX-512.
#define GYRE_INLINE [[gnu::always_inline]] inline

template <int bits>
GYRE_INLINE __m128i Rotate(__m128i value) {
  return _mm_xor_si128(_mm_slli_epi32(value, bits), _mm_srli_epi32(value, 32 - bits));
}

// x = Salsa20/8(x ^ in)
GYRE_INLINE void SalsaXor(Block& x, const Block& in) {
  __m128i a = x.rows[0] = _mm_xor_si128(x.rows[0], in.rows[0]);
  __m128i b = x.rows[1] = _mm_xor_si128(x.rows[1], in.rows[1]);
  __m128i c = x.rows[2] = _mm_xor_si128(x.rows[2], in.rows[2]);
  __m128i d = x.rows[3] = _mm_xor_si128(x.rows[3], in.rows[3]);
  const auto quarter = [&](__m128i& p, __m128i& q) __attribute__((always_inline)) {
    q = _mm_xor_si128(q, Rotate<7>(_mm_add_epi32(a, p)));
    c = _mm_xor_si128(c, Rotate<9>(_mm_add_epi32(q, a)));
    p = _mm_xor_si128(p, Rotate<13>(_mm_add_epi32(c, q)));
    a = _mm_xor_si128(a, Rotate<18>(_mm_add_epi32(p, c)));
  };
  for (int round = 0; round < 4; round++) {
    quarter(d, b);
    b = _mm_shuffle_epi32(b, 0x93);
    c = _mm_shuffle_epi32(c, 0x4e);
    d = _mm_shuffle_epi32(d, 0x39);
    quarter(b, d);
    b = _mm_shuffle_epi32(b, 0x39);
    c = _mm_shuffle_epi32(c, 0x4e);
    d = _mm_shuffle_epi32(d, 0x93);
  }
  x.rows[0] = _mm_add_epi32(x.rows[0], a);
  x.rows[1] = _mm_add_epi32(x.rows[1], b);
  x.rows[2] = _mm_add_epi32(x.rows[2], c);
  x.rows[3] = _mm_add_epi32(x.rows[3], d);
}

GYRE_INLINE void Xor(Block& block, const Block& other) {
  for (int i = 0; i < 4; i++) block.rows[i] = _mm_xor_si128(block.rows[i], other.rows[i]);
}

// RFC 7914, 4: out = BlockMix(in ^ other), of 2 * r blocks; `other` may be absent.
GYRE_INLINE void BlockMix(const Block* in, const Block* other, Block* out, size_t r) {
  Block x = in[2 * r - 1];
  if (other != nullptr) Xor(x, other[2 * r - 1]);
  for (size_t i = 0; i < 2 * r; i++) {
    if (other != nullptr) Xor(x, other[i]);
    SalsaXor(x, in[i]);
    out[i / 2 + (i % 2) * r] = x;
  }
}

void ToDiagonals(const uint8_t* bytes, Block* blocks, size_t count) {
  for (size_t b = 0; b < count; b++) {
    uint32_t words[16];
    for (int i = 0; i < 16; i++) std::memcpy(&words[i], bytes + 64 * b + 4 * kDiagonal[i], 4);
    std::memcpy(&blocks[b], words, sizeof words);
  }
}

void FromDiagonals(const Block* blocks, uint8_t* bytes, size_t count) {
  for (size_t b = 0; b < count; b++) {
    uint32_t words[16];
    std::memcpy(words, &blocks[b], sizeof words);
    for (int i = 0; i < 16; i++) std::memcpy(bytes + 64 * b + 4 * kDiagonal[i], &words[i], 4);
  }
}

// RFC 7914, 5. `table` has n entries of 2 * r blocks, `x` and `y` one each.
GYRE_INLINE void RoMix(uint8_t* bytes, uint64_t n, size_t r, Block* table, Block* x, Block* y) {
  const size_t blocks = 2 * r;
  ToDiagonals(bytes, table, blocks);
  for (uint64_t i = 1; i < n; i++) BlockMix(&table[(i - 1) * blocks], nullptr, &table[i * blocks], r);
  BlockMix(&table[(n - 1) * blocks], nullptr, x, r);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t last;
    // The first words of a block in this order, 0 and 5 of the matrix; n is below 2^32 wherever there is memory for it.
    std::memcpy(&last, &x[blocks - 1], sizeof last);
    const uint64_t at = static_cast<uint32_t>(last) & (n - 1);
    BlockMix(x, &table[at * blocks], y, r);
    std::swap(x, y);
  }
  FromDiagonals(x, bytes, blocks);
}

[[gnu::target("avx512f,avx512vl")]] void RoMixAvx512(uint8_t* bytes, uint64_t n, size_t r, Block* table, Block* x,
                                                     Block* y) {
  RoMix(bytes, n, r, table, x, y);
}

void RoMixSse2(uint8_t* bytes, uint64_t n, size_t r, Block* table, Block* x, Block* y) {
  RoMix(bytes, n, r, table, x, y);
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<uint8_t, Free>;

// The table is read all over: large pages spare most of the page table's walks.
Memory AllocateTable(size_t size) {
  constexpr size_t kLargePage = 2 << 20;
  const size_t alignment = size < kLargePage ? 64 : kLargePage;
  Memory memory(static_cast<uint8_t*>(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)));
  if (memory != nullptr && alignment == kLargePage) ::madvise(memory.get(), size, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

bool ScryptDerive(std::string_view password, std::string_view salt, uint64_t n, uint64_t r, uint64_t p,
                  std::span<uint8_t> out) {
  const size_t entry = 128 * r;
  const size_t table_size = entry * (n + 2);
  const size_t size = p * entry;
  Memory bytes(static_cast<uint8_t*>(std::malloc(size)));
  Memory memory = AllocateTable(table_size);
  if (bytes == nullptr || memory == nullptr || n > UINT32_MAX) return false;
  Derive<Sha256>(password, salt, 1, {bytes.get(), size});
  auto* table = reinterpret_cast<Block*>(memory.get());
  Block* x = table + n * 2 * r;
  const auto mix = __builtin_cpu_supports("avx512vl") ? &RoMixAvx512 : &RoMixSse2;
  for (uint64_t i = 0; i < p; i++) mix(bytes.get() + i * entry, n, r, table, x, x + 2 * r);
  Derive<Sha256>(password, {reinterpret_cast<char*>(bytes.get()), size}, 1, out);
  OPENSSL_cleanse(bytes.get(), size);
  OPENSSL_cleanse(memory.get(), table_size);
  return true;
}

}  // namespace gyre::crypto
