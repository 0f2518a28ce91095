@testable import WebPush

/// The example of RFC 8292 section 2.4.
enum RFC8292Vector {
  static let token = utf8(
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
  )
  static let keyText =
    "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
  static let x = base64("DUfHPKLVFQzVvnCPGyfucbECzPDa7rWbXriLcysAjEc")
  static let y = base64("F6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs")
  static let digest = base64("VeKk3pT6dvOO_b9oq04hL8ZAmaeuxEl5QfrvLikWTL0")
  static let expiresAtSeconds: Int64 = 1_453_523_768

  static var credential: VAPIDCredential { VAPIDCredential(token: token, key: utf8(keyText)) }
}

/// Returns the origin in a text that is known to be valid.
func origin(_ text: String) throws -> WebPushOrigin {
  guard let origin = WebPushOrigin(utf8(text).span) else { throw InvalidText(text: text) }
  return origin
}

/// The error for a text that a test expected to be valid.
struct InvalidText: Error { var text: String }
