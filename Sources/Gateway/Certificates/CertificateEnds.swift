internal import Synchronization
internal import System

/// A certificate that somebody has to renew in time.
public struct CertificateEnd: Sendable, Equatable {
  /// Which certificate it is; the metric's label.
  public enum Kind: String, Sendable, CaseIterable {
    /// What the gateway's clients trust.
    case authority
    /// The one that takes its place.
    case nextAuthority
    /// What the listeners show; the gateway renews it by itself.
    case server
    /// What the operator gave, with --server-certificate.
    case own
    /// The providers' certificate that ends first.
    case provider
    /// The devices' certificate that ends first.
    case device
  }

  /// Which certificate it is.
  public let kind: Kind
  /// Its file, or a provider's serial number.
  public let subject: String
  /// When it ends, seconds since 1970.
  public let notAfter: Int64
  /// When it begins, seconds since 1970; `Int64.min` where its beginning is of no matter.
  public let notBefore: Int64

  init(kind: Kind, subject: String, notBefore: Int64 = .min, notAfter: Int64) {
    self.kind = kind
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Why clients refuse it at that moment, in seconds since 1970; nil where they do not.
  func problem(atSeconds now: Int64) -> String? {
    func time(_ seconds: Int64) -> String { Timestamp.rfc3339(unixMilliseconds: seconds * 1_000) }
    if notAfter <= now {
      return "the certificate in \(subject) ended \(time(notAfter)): \(advice)"
    }
    guard notBefore > now else { return nil }
    return
      "the certificate in \(subject) is not valid before \(time(notBefore)), and clients refuse it: "
      + "check the clock of this machine"
  }

  /// What to do before it ends.
  var advice: String {
    switch kind {
    case .authority: "run `belfry ca rotate`, or put another one there if it is your own"
    case .nextAuthority: "finish with `belfry ca finish`"
    case .device: "a device has not been here for years"
    case .server: "it cannot outlive its authority, see that one"
    case .own: "put a new one in its place, it is read at once"
    case .provider: "make another one with `belfry certificate add`"
    }
  }
}

/// When the gateway's certificates end: written on the main loop, read on any thread.
public final class CertificateEnds: Sendable {
  private struct State {
    var ends: [CertificateEnd] = []
    var devicesEnd: Int64?
    var waiting: Int?
  }

  private let state = Mutex(State())

  init() {}

  /// One of each kind that there is.
  public var all: [CertificateEnd] {
    state.withLock { state in
      state.ends
        + (state.devicesEnd.map { [CertificateEnd(kind: .device, subject: "", notAfter: $0)] } ?? [])
    }
  }

  /// Why clients refuse what the listeners show, a sentence each.
  func problems(atSeconds now: Int64) -> [String] {
    all.filter { [.own, .server, .authority].contains($0.kind) }.compactMap {
      $0.problem(atSeconds: now)
    }
  }

  /// While one authority takes another's place: how many devices have not shown a certificate of the new one.
  public var waitingDevices: Int? { state.withLock { $0.waiting } }

  func replace(with list: [CertificateEnd]) { state.withLock { $0.ends = list } }

  func replace(devicesEnd: Int64?, waiting: Int?) {
    state.withLock { ($0.devicesEnd, $0.waiting) = (devicesEnd, waiting) }
  }
}
