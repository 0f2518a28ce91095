/// A limit on the number of links of one loop that connect at the same time; other links wait in request order.
///
/// Without the limit, thousands of virtual devices that connect simultaneously would slow each other's TLS handshakes
/// until they time out.
public final class ConnectLimiter {
  private let limit: Int
  private var dialling = 0
  private var waiting: [GatewayConnection] = []
  private var first = 0

  /// Creates a limiter for `limit` simultaneous connection attempts.
  public init(limit: Int) { self.limit = max(1, limit) }

  /// Returns true if `link` may connect now; otherwise, calls the link's `dialNow()` later, when it is the link's turn.
  func enter(_ link: GatewayConnection) -> Bool {
    guard dialling >= limit else {
      dialling += 1
      return true
    }
    waiting.append(link)
    return false
  }

  /// Records that a link has connected or failed, and allows the next link to connect.
  func leave() {
    dialling -= 1
    while first < waiting.count, dialling < limit {
      let link = waiting[first]
      first += 1
      dialling += 1
      link.dialNow()
    }
    if first == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      first = 0
    }
  }
}
