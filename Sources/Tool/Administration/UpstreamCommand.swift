import BelfryWire
import Gateway
import System

/// `belfry upstream`: manages the push services to which the gateway relays pushes.
enum UpstreamCommand {
  static let noun = AdministrationNoun(name: "upstream", verbs: [add, list, remove])

  /// The maximum number of bytes of a key's file and of a CA's file.
  private static let fileBytesMax = 65_536

  private static let add = AdministrationVerb(
    "upstream", "add",
    "Relays pushes for an app to Apple, or to another push service with the same interface: each push whose device token "
      + "this gateway did not create is sent with the publisher's key, and the sender receives the upstream's answer. "
      + "The gateway stores the key in encrypted form. If the app already has an upstream, the command replaces it.",
    options: [
      .value(
        "topic", "BUNDLE-ID", alias: "app", isRequired: true, "the app, which must belong to a team"
      ),
      .value("key-file", "FILE.p8", isRequired: true, "the publisher's key, as Apple issued it"),
      .value("key-id", "ID", isRequired: true, "the ID of the publisher's key"),
      .value("team-id", "ID", isRequired: true, "the ID of the publisher's team"),
      .value(
        "environment", "sandbox|production", default: "the gateway's environment",
        "the environment of Apple's service"),
      .value(
        "host", "HOST:PORT", default: "Apple's service",
        "the push service to which the gateway relays"),
      .value(
        "ca", "FILE", default: "the system's certificate authorities",
        "with --host: the certificate authority that issued the service's certificate"),
    ], columns: ["topic", "upstream"]
  ) { options in
    let name = try options.choice("environment", of: ["sandbox", "production"])
    var new = AdministrationRequest.NewUpstream(
      topic: try options.required("topic"),
      privateKeyPEM: try FileSystem.readRegularFile(
        try options.required("key-file"), limit: fileBytesMax),
      keyID: try options.required("key-id"), teamID: try options.required("team-id"),
      environment: name.flatMap(Environment.init(name:)))
    if let address = options.value("host") {
      guard let (host, port) = DeviceGateway.address(address) else {
        throw CommandLineOptions.Problem.badValue(
          key: "host", value: address, wanted: "HOST:PORT, such as push.example.org:443")
      }
      (new.host, new.port) = (host, port)
    }
    if let file = options.value("ca") {
      guard !new.host.isEmpty else {
        throw UsageError("--ca requires --host: add --host, or remove --ca")
      }
      new.authorityPEM = try FileSystem.readRegularFile(file, limit: fileBytesMax)
    }
    return .addUpstream(new)
  }

  private static let list = AdministrationVerb(
    "upstream", "list",
    "Lists the upstreams. The state of each connection is shown only while the gateway is running.",
    columns: ["topic", "upstream", "keyID", "teamID", "environment", "state"]
  ) { _ in .listUpstreams }

  private static let remove = AdministrationVerb(
    "upstream", "remove",
    "Removes an app's upstream and the publisher's key. Pushes with unknown tokens are then refused with "
      + "BadDeviceToken, so make sure that senders do not delete Apple's tokens.",
    positionals: "BUNDLE-ID", positionalCount: 1...1, columns: ["topic"],
    question: { options, _ in
      "remove the upstream of \(options.positionals.first ?? "") and the publisher's key?"
    }
  ) { .removeUpstream(topic: $0.positionals[0]) }
}
