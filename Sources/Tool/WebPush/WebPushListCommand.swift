import BelfryWire
import System

/// `belfry web-push list`: lists the Web Push subscriptions in a provider's registry.
enum WebPushListCommand {
  static let table = OptionTable(
    command: "belfry web-push list",
    summary: """
      Lists the Web Push subscriptions that are registered with the provider. An endpoint is a secret: everybody who
      knows it can send messages to the subscription, unless the subscription is restricted to the sender's key.
      """,
    [
      .value("topic", "BUNDLE-ID", "only the subscriptions of this app"),
      .value("user", "USER", "only the subscriptions of this user"),
      .value("tag", "TAG", "only the subscriptions with this tag"),
    ] + CampaignCommand.access)

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let access = try ProviderAccess(options)
      defer { access.close() }
      var query = "kind=webPush"
      for name in ["topic", "user", "tag"] {
        guard let value = options.value(name) else { continue }
        query += "&\(name)=\(percentEncoded(value))"
      }
      OutputTable.show(
        try access.list("/tokens?\(query)"),
        columns: ["endpoint", "topic", "user", "tags", "language", "renewed"],
        .headings(of: "Web Push subscriptions"), asJSON: options.has("json"),
        shortening: ["endpoint"])
      return 0
    }
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + Hexadecimal.encode([byte])
      }
    }
  }
}
