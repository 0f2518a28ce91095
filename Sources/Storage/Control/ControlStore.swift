public import Transport

/// One change to a gateway's configuration data; `put` adds or replaces a record.
public enum ControlChange: Sendable, Hashable {
  case putTeam(TeamRecord)
  /// Removes a team with its keys and certificates; its apps must already have been removed.
  case removeTeam(id: String)
  case putKey(KeyRecord)
  case putCertificate(CertificateRecord)
  case putApp(AppRecord)
  /// Removes an app with its channels, registrations, and subscriptions.
  case removeApp(number: UInt32)
  /// Adds a channel.
  ///
  /// This change has no effect if the app was removed in the meantime.
  case putChannel(ChannelRecord)
  /// Removes a channel with its message and subscriptions.
  case removeChannel(id: [UInt8])
  /// Stores a channel's message.
  ///
  /// This change has no effect if the channel was removed in the meantime.
  case putBroadcast(BroadcastRecord)
  case removeBroadcast(channel: [UInt8])
  /// Removes every channel message that expires at or before this time, in seconds since 1970.
  case removeExpiredBroadcasts(atUnixSeconds: Int64)
  case putDevice(DeviceRecord)
  /// Adds a device certificate.
  ///
  /// The certificate replaces an earlier certificate that the device has never presented.
  case putDeviceCertificate(DeviceCertificateRecord)
  /// Records that a device has connected, so that its previous certificates are no longer needed.
  case recordArrival(DeviceArrival)
  case putRegistration(RegistrationRecord)
  /// Removes an app's earlier tokens of one kind, if they became inactive at or before this time.
  ///
  /// The feedback service has already reported these tokens.
  case forgetFormerRegistrations(app: UInt32, kind: UInt8, upToMilliseconds: Int64)
  /// Unregisters all of a device's registrations, as of this time.
  case unregisterAll(device: UInt64, atMilliseconds: Int64)
  /// Adds a subscription; an existing subscription keeps its last received message.
  ///
  /// This change has no effect if the channel was removed in the meantime.
  case putSubscription(SubscriptionRecord)
  /// Records the message that the device acknowledged.
  ///
  /// This change has no effect if the subscription does not exist.
  case markSubscription(SubscriptionRecord)
  case removeSubscription(SubscriptionRecord)
  /// Sets the upstream of an app.
  ///
  /// This change fails with `.missing` if the app does not exist; an upstream is removed together with its app.
  case putUpstream(UpstreamRecord)
  case removeUpstream(app: UInt32)
  /// Sets the limits of a key's budget; the number of pushes that the key has used stays unchanged.
  ///
  /// This change fails with `.missing` if the key does not exist; a budget is removed together with its key.
  case putBudget(BudgetRecord)
  /// Adds to the number of pushes that a key has used on a day, in days since 1970; a later day begins with zero.
  ///
  /// If the store already contains a later day, this change adds to that day. It has no effect if the key has no budget.
  case addUse(key: String, day: Int64, count: Int64)  // text: the ID of a known key
  /// Discards rows that failed their checksum.
  ///
  /// Afterward, lookups assume that no rows are missing.
  case forgetSetAside
  /// Sets a named value of the gateway itself; nil removes it.
  case putSetting(name: String, value: [UInt8]?)
}

/// The store for a gateway's configuration and registration data.
///
/// The data is small, is read completely at startup, and is written only occasionally. Calls block, so the hot path
/// never calls this store.
public protocol ControlStore: AnyObject, Sendable {
  /// Applies `changes` durably and in order, either all or none.
  ///
  /// Throws `.exists` if a bundle identifier belongs to another app, and `.missing` if a record refers to a record that
  /// does not exist.
  func apply(_ changes: [ControlChange]) throws(StorageFailure)

  /// Returns all teams, sorted by creation time.
  func teams() throws(StorageFailure) -> [TeamRecord]
  /// Returns all keys, including revoked ones, sorted by creation time.
  func keys() throws(StorageFailure) -> [KeyRecord]
  /// Returns all provider certificates, including revoked ones, sorted by creation time.
  func certificates() throws(StorageFailure) -> [CertificateRecord]
  /// Returns all apps, sorted by number.
  func apps() throws(StorageFailure) -> [AppRecord]
  /// Returns the app with this bundle identifier, using an index.
  func app(bundleID: String) throws(StorageFailure) -> AppRecord?
  /// Returns all channels, sorted by app, then by creation time.
  func channels() throws(StorageFailure) -> [ChannelRecord]
  /// Returns the messages of channels that store their newest message.
  func broadcasts() throws(StorageFailure) -> [BroadcastRecord]
  /// Returns all devices, including revoked ones, sorted by number.
  func devices() throws(StorageFailure) -> [DeviceRecord]
  /// Returns the devices that enrolled with this key, including revoked ones, sorted by number, using an index.
  func devices(withKey keyHash: SHA256.Digest) throws(StorageFailure) -> [DeviceRecord]
  /// Returns the device with this number, revoked or not, using the primary key.
  func device(number: UInt64) throws(StorageFailure) -> DeviceRecord?
  /// Returns true if any device has one of these numbers, using an index.
  func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool
  /// Returns all device certificates, sorted by device.
  func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord]
  /// Returns the elements of `arrivals` that contain new information.
  func newer(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival]
  /// Returns the number of devices that have presented a certificate from this authority, and the earliest expiration.
  ///
  /// This method reads all rows.
  func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary
  /// Returns the number of valid tokens that each key sealed, by the name of the key.
  ///
  /// Tokens of revoked devices do not count. The name is nil for tokens that earlier releases sealed. This method reads
  /// all rows.
  func tokenCounts() throws(StorageFailure) -> [String?: Int]
  /// Returns the number of devices on which the app is registered; revoked devices do not count.
  ///
  /// This method reads all rows.
  func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int
  /// Returns all registrations, sorted by device, app, and kind.
  ///
  /// Inactive registrations are included for their timestamps.
  func registrations() throws(StorageFailure) -> [RegistrationRecord]
  /// Returns at most `limit` inactive registrations of an app and kind that follow the given position, using an index.
  ///
  /// If the app has registered again, the result includes up to four earlier tokens, which are the most recent ones
  /// before the current token.
  func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord]
  /// Returns the registration of a device, an app, and a kind, active or not, using the primary key.
  func registration(of key: NotificationKey) throws(StorageFailure) -> RegistrationRecord?
  /// Returns a device's registrations, active or not, sorted by app and kind, using the primary key.
  func registrations(ofDevice device: UInt64) throws(StorageFailure) -> [RegistrationRecord]
  /// Returns all subscriptions, sorted by device.
  func subscriptions() throws(StorageFailure) -> [SubscriptionRecord]
  /// Returns the upstreams of apps, sorted by the number of the app.
  func upstreams() throws(StorageFailure) -> [UpstreamRecord]
  /// Returns the budgets of keys, sorted by the ID of the key.
  func budgets() throws(StorageFailure) -> [BudgetRecord]
  /// Returns the budget of a key, using the primary key.
  func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord?
  /// Returns the named value, or nil if it is not set.
  func setting(_ name: String) throws(StorageFailure) -> [UInt8]?
  /// The health of the store's disk; nil for a store without a disk.
  var health: StoreHealth? { get }
  /// Returns the number of changes that were stored but are missing, because the disk lost them or because an older
  /// copy has replaced the store.
  func lostCount() throws(StorageFailure) -> UInt64
  /// Discards the record of lost changes, after an operator has been informed.
  func forgetLost() throws(StorageFailure)
  /// The rows that failed their checksum; a row that is not found might be one of them.
  var damage: StoreDamage { get }
  /// Returns the rows that were set aside, for inspection.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow]
  /// Performs a write to test whether the disk accepts writes, if the store is on a disk.
  func probe() throws(StorageFailure)
  /// Closes the file; later calls throw `.closed`.
  func close()
}

extension ControlStore {
  /// Nil, because this store is not on a disk.
  public var health: StoreHealth? { nil }

  /// Returns 0, because this store is not on a disk.
  public func lostCount() throws(StorageFailure) -> UInt64 { 0 }

  /// Does nothing, because this store is not on a disk.
  public func forgetLost() throws(StorageFailure) {}

  /// Does nothing, because this store is not on a disk.
  public func probe() throws(StorageFailure) {}
}
