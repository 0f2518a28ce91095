internal import CNATS
internal import System

/// The library's options for a connection to one server.
///
/// The library's own reconnection is off. It buffers messages during an outage, blocks every caller while it connects,
/// and gives up when the same error arrives twice, for example while the credentials are replaced.
@safe final class LibraryOptions {
  let pointer: OpaquePointer

  /// True if the library is installed; it is loaded when this value is first used.
  private static let isInstalled = belfry_nats_load()

  /// Reads the files, and creates options whose callbacks are delivered to the receiver with this number.
  init(
    _ options: BusOptions, server: BusAddress.Server, receiver number: UInt
  ) throws(MessageBusFailure) {
    guard Self.isInstalled else { throw .noLibrary }
    var made: OpaquePointer?
    let status = unsafe natsOptions_Create(&made)
    guard let pointer = unsafe made else { throw .library(why: LibraryText.error(status)) }
    unsafe self.pointer = pointer
    let isSecure = options.address.isSecure
    try accept(
      unsafe natsOptions_SetURL(pointer, (isSecure ? "tls://" : "nats://") + server.authority))
    try accept(unsafe natsOptions_SetName(pointer, options.name))
    try accept(unsafe natsOptions_SetAllowReconnect(pointer, false))
    try accept(unsafe natsOptions_SetTimeout(pointer, Limits.connectMilliseconds))
    try accept(unsafe natsOptions_SetWriteDeadline(pointer, Limits.writeMilliseconds))
    try accept(unsafe natsOptions_SetPingInterval(pointer, Limits.pingMilliseconds))
    try accept(unsafe natsOptions_SetMaxPingsOut(pointer, Limits.unansweredPings))
    try accept(unsafe natsOptions_SetMaxPendingMsgs(pointer, Limits.pendingMessages))
    // The library would otherwise wait a millisecond for further messages: a round trip took 1.0 ms instead of 80 µs.
    try accept(unsafe natsOptions_SetSendAsap(pointer, true))
    try accept(unsafe natsOptions_UseGlobalMessageDelivery(pointer, false))
    try secure(options, server)
    try authenticate(options)
    let closure = unsafe CallbackRegistry<LinkReceiver>.closure(number)
    try accept(unsafe natsOptions_SetClosedCB(pointer, onClosed, closure))
    try accept(unsafe natsOptions_SetErrorHandler(pointer, onError, closure))
  }

  deinit { unsafe natsOptions_Destroy(pointer) }

  private func accept(_ status: natsStatus) throws(MessageBusFailure) {
    guard status == NATS_OK else { throw .library(why: LibraryText.error(status)) }
  }

  private func secure(
    _ options: BusOptions, _ server: BusAddress.Server
  ) throws(MessageBusFailure) {
    guard options.address.isSecure else {
      let isPlain = (options.authorityFile ?? options.certificateFile ?? options.keyFile) == nil
      guard isPlain else { throw .notSecure }
      return
    }
    try accept(unsafe natsOptions_SetSecure(pointer, true))
    // Debian's library always verifies the host; other builds verify it only if this name is set.
    try accept(unsafe natsOptions_SetExpectedHostname(pointer, server.host))
    if let file = options.authorityFile {
      try Self.read(file)
      let status = unsafe natsOptions_LoadCATrustedCertificates(pointer, file)
      guard status == NATS_OK else {
        throw .invalidFile(file: file, why: "expected certificates in PEM format")
      }
    }
    switch (options.certificateFile, options.keyFile) {
    case (nil, nil): break
    case (let certificate?, let key?):
      try Self.read(certificate)
      try Self.read(key)
      let status = unsafe natsOptions_LoadCertificatesChain(pointer, certificate, key)
      guard status == NATS_OK else {
        throw .invalidFile(
          file: certificate, why: "expected a certificate in PEM format, and its key in \(key)")
      }
    case (_?, nil), (nil, _?): throw .incompleteIdentity
    }
  }

  private func authenticate(_ options: BusOptions) throws(MessageBusFailure) {
    guard let file = options.credentialsFile else { return }
    switch try BusCredentials(file: file) {
    case .token(let file):
      try accept(unsafe natsOptions_SetUserCredentialsFromFiles(pointer, file, nil))
    case .password(let user, let password):
      try accept(unsafe natsOptions_SetUserInfo(pointer, user, password))
    }
  }

  /// Checks that a file can be read, because the library does not say why it cannot.
  private static func read(_ file: String) throws(MessageBusFailure) {
    do throws(SystemFailure) {
      _ = try FileSystem.readRegularFile(file, limit: Limits.fileBytes)
    } catch {
      throw .system(error)
    }
  }
}

/// Called by the library when a connection has ended.
private let onClosed: natsConnectionHandler = { connection, closure in
  guard let receiver = unsafe LinkReceiver.all.receiver(closure) else { return }
  var text: UnsafePointer<CChar>?
  let status = unsafe natsConnection_GetLastError(connection, &text)
  receiver.onEnd(unsafe LibraryText.reason(status, text))
}

/// Called by the library for errors that do not end a connection.
private let onError: natsErrHandler = { _, _, status, closure in
  guard let receiver = unsafe LinkReceiver.all.receiver(closure) else { return }
  receiver.onError(status, LibraryText.error(status))
}
