// The texts of a certificate's fields.
#include "modules/crypto/x509.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace gyre::crypto {

std::string NameText(const X509_NAME* name) {
  Bio bio(BIO_new(BIO_s_mem()));
  constexpr unsigned long kFlags =
      ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT | XN_FLAG_SEP_MULTILINE | XN_FLAG_FN_SN;
  if (name == nullptr || X509_NAME_print_ex(bio.get(), name, 0, kFlags) < 0) return {};
  return BioText(bio.get());
}

namespace {

// A name that cannot be mistaken for several: no comma, quote, control character, ... in it.
bool IsSafeAltName(std::string_view name, bool utf8) {
  for (unsigned char c : name) {
    switch (c) {
      case '"':
      case '\\':
      case ',':
      case '\'':
        return false;
      default:
        if (utf8 ? c < ' ' || c == 0x7f : c < ' ' || c > '~') return false;
    }
  }
  return true;
}

// Quoted as in JSON, and more: what is not printable ASCII is escaped too.
void AppendAltName(std::string* out, std::string_view name, bool utf8, const char* prefix) {
  if (IsSafeAltName(name, utf8)) {
    if (prefix != nullptr) *out += std::string(prefix) + ":";
    *out += name;
    return;
  }
  static constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  if (prefix != nullptr) *out += std::string(prefix) + ":";
  for (unsigned char c : name) {
    if (c == '\\') {
      *out += "\\\\";
    } else if (c == '"') {
      *out += "\\\"";
    } else if ((c >= ' ' && c != ',' && c <= '~') || (utf8 && (c & 0x80))) {
      *out += static_cast<char>(c);
    } else {
      *out += std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
    }
  }
  *out += '"';
}

std::string_view TextOf(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<size_t>(ASN1_STRING_length(string))};
}

void AppendDirectoryName(std::string* out, const X509_NAME* name) {
  *out += "DirName:";
  Bio bio(BIO_new(BIO_s_mem()));
  // Control characters are escaped afterwards, with the rest of what could be misread.
  constexpr unsigned long kFlags = ASN1_STRFLGS_RFC2253 & ~ASN1_STRFLGS_ESC_MSB & ~ASN1_STRFLGS_ESC_CTRL;
  X509_NAME_print_ex(bio.get(), name, 0, kFlags | XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV | XN_FLAG_FN_SN);
  AppendAltName(out, BioText(bio.get()), true, nullptr);
}

void AppendOtherName(std::string* out, const OTHERNAME* name) {
  const ASN1_OBJECT* type = name->type_id;
  bool unicode = true;
  const char* prefix = nullptr;
  switch (OBJ_obj2nid(type)) {
    case NID_id_on_SmtpUTF8Mailbox:
      prefix = "SmtpUTF8Mailbox";
      break;
    case NID_XmppAddr:
      prefix = "XmppAddr";
      break;
    case NID_SRVName:
      prefix = "SRVName";
      unicode = false;
      break;
    case NID_ms_upn:
      prefix = "UPN";
      break;
    case NID_NAIRealm:
      prefix = "NAIRealm";
      break;
    default:
      break;
  }
  const ASN1_TYPE* value = name->value;
  int wanted = unicode ? V_ASN1_UTF8STRING : V_ASN1_IA5STRING;
  *out += "othername:";
  if (prefix == nullptr || value->type != wanted) {
    *out += "<unsupported>";
    return;
  }
  AppendAltName(out, TextOf(value->value.asn1_string), unicode, prefix);
}

void AppendGeneralName(std::string* out, const GENERAL_NAME* name) {
  switch (name->type) {
    case GEN_DNS:
      *out += "DNS:";
      return AppendAltName(out, TextOf(name->d.dNSName), false, nullptr);
    case GEN_EMAIL:
      *out += "email:";
      return AppendAltName(out, TextOf(name->d.rfc822Name), false, nullptr);
    case GEN_URI:
      *out += "URI:";
      return AppendAltName(out, TextOf(name->d.uniformResourceIdentifier), false, nullptr);
    case GEN_DIRNAME:
      return AppendDirectoryName(out, name->d.directoryName);
    case GEN_OTHERNAME:
      return AppendOtherName(out, name->d.otherName);
    case GEN_IPADD: {
      std::string_view bytes = TextOf(name->d.iPAddress);
      char text[INET6_ADDRSTRLEN] = "";
      bool ok = false;
      if (bytes.size() == 4) ok = inet_ntop(AF_INET, bytes.data(), text, sizeof text) != nullptr;
      if (bytes.size() == 16) {
        // Eight groups without shortening, as OpenSSL prints them.
        const auto* b = reinterpret_cast<const uint8_t*>(bytes.data());
        std::string groups;
        for (int i = 0; i < 16; i += 2) {
          char group[8];
          std::snprintf(group, sizeof group, "%s%X", i == 0 ? "" : ":", b[i] << 8 | b[i + 1]);
          groups += group;
        }
        *out += "IP Address:" + groups;
        return;
      }
      *out += std::string("IP Address:") + (ok ? text : "<invalid length=" + std::to_string(bytes.size()) + ">");
      return;
    }
    case GEN_RID: {
      char oid[256] = "";
      OBJ_obj2txt(oid, sizeof oid, name->d.registeredID, 1);
      *out += std::string("Registered ID:") + oid;
      return;
    }
    case GEN_X400:
      *out += "X400Name:<unsupported>";
      return;
    case GEN_EDIPARTY:
      *out += "EdiPartyName:<unsupported>";
      return;
    default:
      *out += "<unsupported>";
  }
}

}  // namespace

std::optional<std::string> SubjectAltNameText(X509* certificate) {
  std::unique_ptr<GENERAL_NAMES, FreeWith<&GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (names == nullptr) {
    ClearErrors();
    return std::nullopt;
  }
  std::string out;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); i++) {
    if (i > 0) out += ", ";
    AppendGeneralName(&out, sk_GENERAL_NAME_value(names.get(), i));
  }
  return out;
}

std::optional<std::string> InfoAccessText(X509* certificate) {
  std::unique_ptr<AUTHORITY_INFO_ACCESS, FreeWith<&AUTHORITY_INFO_ACCESS_free>> list(
      static_cast<AUTHORITY_INFO_ACCESS*>(X509_get_ext_d2i(certificate, NID_info_access, nullptr, nullptr)));
  if (list == nullptr) {
    ClearErrors();
    return std::nullopt;
  }
  std::string out;
  for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(list.get()); i++) {
    const ACCESS_DESCRIPTION* item = sk_ACCESS_DESCRIPTION_value(list.get(), i);
    char method[80] = "";
    i2t_ASN1_OBJECT(method, sizeof method, item->method);
    if (i > 0) out += "\n";
    out += std::string(method) + " - ";
    AppendGeneralName(&out, item->location);
  }
  return out;
}

std::string TimeText(const ASN1_TIME* time) {
  Bio bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), time);
  return BioText(bio.get());
}

std::string FingerprintText(X509* certificate, const EVP_MD* md) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (X509_digest(certificate, md, digest, &size) != 1) return {};
  std::string out;
  for (unsigned int i = 0; i < size; i++) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%s%02X", i == 0 ? "" : ":", digest[i]);
    out += pair;
  }
  return out;
}

std::string SerialText(X509* certificate) {
  BigNum number(ASN1_INTEGER_to_BN(X509_get_serialNumber(certificate), nullptr));
  if (number == nullptr) return {};
  char* hex = BN_bn2hex(number.get());
  std::string out = hex == nullptr ? "" : hex;
  OPENSSL_free(hex);
  return out;
}

std::string DerOf(X509* certificate) {
  unsigned char* der = nullptr;
  int size = i2d_X509(certificate, &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

}  // namespace gyre::crypto
