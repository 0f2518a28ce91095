@testable import WebPush

/// The values of RFC 8291 section 5 and appendix A.
enum RFC8291Vector {
  static let plaintext = utf8("When I grow up, I want to be a watermelon")
  static let senderScalar = base64("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
  static let senderPoint = base64(
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
  static let receiverScalar = base64("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
  static let receiverPoint = base64(
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
  static let salt = base64("DGv6ra1nlYgDCS1FRnbzlw")
  static let auth = base64("BTBZMqHH6r4Tts7J_aSIgg")
  static let sharedSecret = base64("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
  static let keyPRK = base64("Snr3JMxaHVDXHWJn5wdC52WjpCtd2EIEGBykDcZW32k")
  static let keyInfo = base64(
    "V2ViUHVzaDogaW5mbwAEJXGyvs3942BVGq8e0PTNNmwRzr5VX4m8t7GGpTM5FzFo7OLr4BhZe9MEebhuPI-OztV3ylkYfpJGmQ22ggCLDgT-M_SrDepxkU21WCP3O1SUj0EwbZIHMtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP"
  )
  static let keyingMaterial = base64("S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg")
  static let prk = base64("09_eUZGrsvxChDCGRCdkLiDXrReGOEVeSCdCcPBSJSc")
  static let key = base64("oIhVW04MRdy2XN9CiKLxTg")
  static let nonce = base64("4h_95klXJ5E_qnoN")
  static let header = base64(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
  )
  static let ciphertext = base64(
    "8pfeW0KbunFT06SuDKoJH9Ql87S1QUrdirN6GcG7sFz1y1sqLgVi1VhjVkHsUoEsbI_0LpXMuGvnzQ")
  static let body = base64(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
  )

  static var receiverKeys: WebPushSubscriptionKeys {
    get throws { try WebPushSubscriptionKeys(scalar: receiverScalar, auth: auth) }
  }
}
