internal import Synchronization
internal import System

/// The expiration of a certificate that must be renewed.
public struct CertificateEnd: Sendable, Equatable {
  /// The kind of certificate, which is the metric's label.
  public enum Kind: String, Sendable, CaseIterable {
    /// The authority that the gateway's clients trust.
    case authority
    /// The authority that will replace the current one in a rotation.
    case nextAuthority
    /// The listeners' certificate, which the gateway renews automatically.
    case server
    /// The operator's own certificate, from --server-certificate.
    case own
    /// The provider certificate that expires first.
    case provider
    /// The device certificate that expires first.
    case device
  }

  /// The kind of certificate.
  public let kind: Kind
  /// The certificate's file or, for a provider certificate, its serial number.
  public let subject: String
  /// The name of ``subject`` in the log.
  var subjectField: String { kind == .provider ? "serial" : "file" }
  /// The expiration time, in seconds since 1970.
  public let notAfter: Int64
  /// The start of the validity period, in seconds since 1970; `Int64.min` if the start doesn't matter.
  public let notBefore: Int64

  init(kind: Kind, subject: String, notBefore: Int64 = .min, notAfter: Int64) {
    self.kind = kind
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Returns the reason that clients reject the certificate at `now`, in seconds since 1970; nil if they accept it.
  func problem(atSeconds now: Int64) -> String? {
    func time(_ seconds: Int64) -> String { Timestamp.rfc3339(unixMilliseconds: seconds * 1_000) }
    if notAfter <= now {
      return "the certificate in \(subject) expired \(time(notAfter)): \(advice)"
    }
    guard notBefore > now else { return nil }
    return
      "the certificate in \(subject) is not valid before \(time(notBefore)), and clients refuse it: "
      + "check the clock of this machine"
  }

  /// Advice on how to renew the certificate.
  var advice: String {
    switch kind {
    case .authority: "run 'belfry ca rotate', or replace the CA certificate if it is your own"
    case .nextAuthority: "run 'belfry ca finish'"
    case .device: "the device has not connected for years"
    case .server: "it expires together with its CA certificate; renew the CA certificate"
    case .own: "replace the file; the gateway reloads it automatically"
    case .provider: "create another one with 'belfry certificate add'"
    }
  }
}

/// The expiration times of the gateway's certificates, written on the main loop and readable on any thread.
public final class CertificateEnds: Sendable {
  private struct State {
    var ends: [CertificateEnd] = []
    var devicesEnd: Int64?
    var waiting: Int?
    var loadFailure: String?
  }

  private let state = Mutex(State())

  init() {}

  /// The expirations, one for each kind of certificate that exists.
  public var all: [CertificateEnd] {
    state.withLock { state in
      state.ends
        + (state.devicesEnd.map { [CertificateEnd(kind: .device, subject: "", notAfter: $0)] } ?? [])
    }
  }

  /// The beginning of the notice about certificate files that the running gateway could not load.
  public static let unusableFiles = "the server's certificates cannot be loaded"

  /// Returns the reasons that clients reject the listeners' certificates or their authority, one sentence per
  /// certificate, after the reason that the files on disk cannot be loaded.
  func problems(atSeconds now: Int64) -> [String] {
    let failure = state.withLock { $0.loadFailure }.map {
      "\(Self.unusableFiles): new connections get the previous ones, and the gateway cannot be restarted: \($0)"
    }
    return [failure].compactMap(\.self)
      + all.filter { [.own, .server, .authority].contains($0.kind) }.compactMap {
        $0.problem(atSeconds: now)
      }
  }

  /// During a rotation, the number of devices that haven't yet presented a certificate from the new authority;
  /// otherwise, nil.
  public var waitingDevices: Int? { state.withLock { $0.waiting } }

  /// True if a device has a certificate, as of the last count.
  var hasDevices: Bool { state.withLock { $0.devicesEnd != nil } }

  func replace(with list: [CertificateEnd]) { state.withLock { $0.ends = list } }

  /// Stores the reason that the certificate files cannot be loaded; nil once they have been loaded.
  ///
  /// Returns true if there was a reason before.
  @discardableResult func setLoadFailure(_ why: String?) -> Bool {
    state.withLock { state in
      defer { state.loadFailure = why }
      return state.loadFailure != nil
    }
  }

  func replace(devicesEnd: Int64?, waiting: Int?) {
    state.withLock { ($0.devicesEnd, $0.waiting) = (devicesEnd, waiting) }
  }
}
