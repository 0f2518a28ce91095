internal import PushWire
internal import Transport

/// The identifiers of a campaign's notifications.
///
/// Each device's `apns-id` is derived from the campaign and the token, so it remains the same no matter how often the
/// campaign is resumed. The first 48 bits identify the campaign, so that its lines in a delivery log can be found.
struct CampaignIdentity: Sendable {
  private let seed: [UInt8]
  private let prefix: UInt64

  /// Creates the identity of the campaign with this ID.
  init(campaign: String) {
    seed = SHA256.hash(Array("belfry campaign \(campaign)".utf8)).bytes
    prefix = SHA256.hash(seed).words.0 & 0xFFFF_FFFF_FFFF_0000
  }

  /// Returns the ID of the notification to a token: a UUID of version 8 (RFC 9562 section 5.8).
  func notification(to token: [UInt8]) -> NotificationID {
    let digest = SHA256.hash(seed + token).words
    return NotificationID(
      high: prefix | 0x8000 | digest.0 & 0x0FFF,
      low: digest.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000, isLowercase: true)
  }

  /// Returns true if an ID belongs to this campaign.
  func owns(_ id: NotificationID) -> Bool {
    id.high & 0xFFFF_FFFF_FFFF_0000 == prefix && id.high & 0xF000 == 0x8000
  }
}
