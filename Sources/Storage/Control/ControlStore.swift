public import Transport

/// One change to what a gateway knows; `put` adds or replaces.
public enum ControlChange: Sendable, Hashable {
  case putTeam(TeamRecord)
  /// With its keys and certificates; its apps must have been removed.
  case removeTeam(id: String)
  case putKey(KeyRecord)
  case putCertificate(CertificateRecord)
  case putApp(AppRecord)
  /// With its channels, registrations and subscriptions.
  case removeApp(number: UInt32)
  /// Nothing where the app was removed meanwhile.
  case putChannel(ChannelRecord)
  /// With its message and subscriptions.
  case removeChannel(id: [UInt8])
  /// Nothing where the channel was removed meanwhile.
  case putBroadcast(BroadcastRecord)
  case removeBroadcast(channel: [UInt8])
  /// Of all channels, those whose expiration is this second since 1970 or an earlier one.
  case removeExpiredBroadcasts(atUnixSeconds: Int64)
  case putDevice(DeviceRecord)
  /// In place of one that the device was given and has never shown.
  case putDeviceCertificate(DeviceCertificateRecord)
  /// A device has connected: its former certificates are needed no more.
  case noteArrival(DeviceArrival)
  case putRegistration(RegistrationRecord)
  /// An app's former tokens of a kind that became inactive up to then were told, and are kept no longer.
  case forgetFormerRegistrations(app: UInt32, kind: UInt8, upToMilliseconds: Int64)
  /// Unregisters all that a device has registered, as of then.
  case unregisterAll(device: UInt64, atMilliseconds: Int64)
  /// Nothing where the channel was removed meanwhile; one that is there keeps what it received.
  case putSubscription(SubscriptionRecord)
  /// Notes what the device acknowledged; nothing where there is no such subscription.
  case markSubscription(SubscriptionRecord)
  case removeSubscription(SubscriptionRecord)
  /// Forgets rows that failed their checksum: what they may be is unknown from then on.
  case forgetSetAside
  /// A named value of the gateway itself; nil removes it.
  case putSetting(name: String, value: [UInt8]?)
}

/// The cold data of a gateway: small, read whole at the start, written now and then.
///
/// Calls block; the hot path never makes them.
public protocol ControlStore: AnyObject, Sendable {
  /// Carries out `changes` in order, all or none, durably.
  ///
  /// Throws `.exists` where a bundle identifier is another app's, `.missing` where a record names
  /// another that is not there.
  func apply(_ changes: [ControlChange]) throws(StorageFailure)

  /// By creation.
  func teams() throws(StorageFailure) -> [TeamRecord]
  /// By creation, revoked ones included.
  func keys() throws(StorageFailure) -> [KeyRecord]
  /// By creation, revoked ones included.
  func certificates() throws(StorageFailure) -> [CertificateRecord]
  /// By number.
  func apps() throws(StorageFailure) -> [AppRecord]
  /// The one with this bundle identifier; found by an index.
  func app(bundleID: String) throws(StorageFailure) -> AppRecord?
  /// By app, then creation.
  func channels() throws(StorageFailure) -> [ChannelRecord]
  /// Those of channels that keep their newest message.
  func broadcasts() throws(StorageFailure) -> [BroadcastRecord]
  /// By number, revoked ones included.
  func devices() throws(StorageFailure) -> [DeviceRecord]
  /// Those that enrolled with this key, by number, revoked ones included; found by an index.
  func devices(withKey keyHash: SHA256.Digest) throws(StorageFailure) -> [DeviceRecord]
  /// The one with this number, revoked or not; found by its key.
  func device(number: UInt64) throws(StorageFailure) -> DeviceRecord?
  /// Whether any device has one of these numbers; found by an index.
  func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool
  /// By device.
  func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord]
  /// Those of `arrivals` that say something new.
  func news(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival]
  /// How many devices have shown a certificate of that authority, and which certificate ends first; reads all.
  func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary
  /// How many tokens of devices that are not revoked are good, by the name of the key that sealed them; nil for those of
  /// former releases. Reads all.
  func tokenCounts() throws(StorageFailure) -> [String?: Int]
  /// By device, app and kind; inactive ones are included for their timestamps.
  func registrations() throws(StorageFailure) -> [RegistrationRecord]
  /// At most `limit` of those of an app and kind that became inactive after that place in their order; found by
  /// an index. The last four tokens before the current one are among them, where the app registered again since.
  func unregistered(
    app: UInt32, kind: UInt8, after: UnregisteredPlace, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord]
  /// That of a device, an app and a kind, active or not; found by its key.
  func registration(of key: NotificationKey) throws(StorageFailure) -> RegistrationRecord?
  /// By device.
  func subscriptions() throws(StorageFailure) -> [SubscriptionRecord]
  /// The named value; nil where there is none.
  func setting(_ name: String) throws(StorageFailure) -> [UInt8]?
  /// Rows that failed their checksum: what is not found may be one of them.
  var damage: StoreDamage { get }
  /// The rows that are set aside, as people inspect them.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow]
  /// Writes something, to see whether the disk takes it; for a store on a disk.
  func probe() throws(StorageFailure)
  /// Closes the file; later calls throw `.closed`.
  func close()
}

extension ControlStore {
  /// Nothing: this store has no disk.
  public func probe() throws(StorageFailure) {}
}
