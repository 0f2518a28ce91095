import CLinux
import Glibc
import Synchronization

/// A hostname resolver that calls the system's resolver on a separate thread, because a lookup can take seconds.
public final class HostResolver {
  private struct Reply: Sendable {
    let ticket: UInt64
    let addresses: [SocketAddress]
    let problem: String
  }

  /// The resolver's answer: addresses in the order in which to try them, or the reason that the lookup failed.
  public enum Answer: Sendable, Equatable {
    /// At least one address.
    case addresses([SocketAddress])
    /// The resolver's error message.
    case failed(String)
  }

  private var waiting: [UInt64: (Answer) -> Void] = [:]
  private var nextTicket: UInt64 = 0
  private var mailbox: Mailbox<Reply>?

  private init() {}

  /// Returns the loop's resolver.
  public static func shared(on loop: EventLoop) -> HostResolver {
    loop.shared(HostResolver.self) {
      let resolver = HostResolver()
      resolver.mailbox = loop.mailbox(of: Reply.self) { [unowned resolver] replies in
        for reply in replies { resolver.receive(reply) }
      }
      return resolver
    }
  }

  /// Resolves `host` and passes the answer to `body`.
  ///
  /// `body` is called on the loop, or during this call if `host` is already an address.
  public func resolve(host: String, port: UInt16, _ body: @escaping (Answer) -> Void) {
    if let address = SocketAddress(host: host, port: port) {
      body(.addresses([address]))
      return
    }
    guard waiting.count < Limits.resolutionsAtOnce, let mailbox else {
      body(.failed("too many names are being resolved"))
      return
    }
    nextTicket += 1
    let ticket = nextTicket
    assert(waiting[ticket] == nil, "tickets are unique")
    waiting[ticket] = body
    let start = ThreadStart(name: "resolver") {
      mailbox.post(Self.look(up: host, port: port, ticket: ticket))
    }
    do throws(SystemFailure) {
      let thread = try start.launch()
      pthread_detach(thread)
    } catch {
      waiting[ticket] = nil
      body(.failed(error.description))
    }
  }

  private func receive(_ reply: Reply) {
    guard let body = waiting.removeValue(forKey: reply.ticket) else { return }
    body(reply.addresses.isEmpty ? .failed(reply.problem) : .addresses(reply.addresses))
  }

  private static func look(up host: String, port: UInt16, ticket: UInt64) -> Reply {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      let problem = unsafe String(cString: gai_strerror(code))
      return Reply(ticket: ticket, addresses: [], problem: problem)
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = unsafe list
    while let current = unsafe entry {
      if let raw = unsafe current.pointee.ai_addr {
        var storage = sockaddr_storage()
        let length = Int(unsafe current.pointee.ai_addrlen)
        unsafe withUnsafeMutableBytes(of: &storage) { target in
          unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(start: raw, count: min(length, target.count)))
        }
        if var address = unsafe SocketAddress(&storage) {
          address.port = port
          if !addresses.contains(address) { addresses.append(address) }
        }
      }
      unsafe entry = current.pointee.ai_next
    }
    return Reply(ticket: ticket, addresses: addresses, problem: "the name has no address")
  }
}
