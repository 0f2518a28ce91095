import BelfryWire

extension GatewayLoop {
  /// A provider's push that has passed every check except those of the home loop.
  struct Submission {
    let contents: TokenContents
    let id: NotificationID
    let uniqueID: NotificationID
    let expiration: Int64
    let priority: UInt8
    let pushType: PushType
    let collapseID: [UInt8]
    let payload: [UInt8]
    let keep: UInt32
  }
}
