import Foundation

/// What the routing of a push needs to know of its payload.
package enum PushPayload {
  package static func isContentAvailable(_ payload: [UInt8]) -> Bool {
    let aps = UserInfoCoding.payload(payload)["aps"] as? [String: Any]
    return (aps?["content-available"] as? NSNumber)?.intValue == 1
  }
}
