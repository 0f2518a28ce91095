/// Lets so many links of one loop dial at a time, in the order in which they asked.
///
/// Thousands of virtual devices that open TLS at once would only time each other out.
public final class ConnectLimiter {
  private let limit: Int
  private var dialling = 0
  private var waiting: [GatewayConnection] = []
  private var first = 0

  /// A gate for `limit` links at a time.
  public init(limit: Int) { self.limit = max(1, limit) }

  /// Whether `link` may dial now; if not, its turn comes.
  func enter(_ link: GatewayConnection) -> Bool {
    guard dialling >= limit else {
      dialling += 1
      return true
    }
    waiting.append(link)
    return false
  }

  /// A link that dialled is up or has given up.
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
