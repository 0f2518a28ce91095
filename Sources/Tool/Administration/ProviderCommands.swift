import BelfryProvider
import BelfryWire
import Gateway
import Glibc
import Storage
import System
import Transport

/// `belfry team`: manages the owners of apps and keys.
enum TeamCommand {
  static let noun = AdministrationNoun(
    name: "team",
    verbs: [
      AdministrationVerb(
        "team", "add", "Adds a team. Without NAME, the team's name is Team, followed by its ID.",
        positionals: "[NAME]", positionalCount: 0...1,
        options: [.value("id", "ID", default: "generated", "10 uppercase letters and digits")],
        columns: ["id"]
      ) { options in
        .addTeam(id: options.value("id"), name: options.positionals.first)
      },
      AdministrationVerb(
        "team", "list",
        "Lists the teams. The gateway created the oldest one, First team, at its first start, and assigns the apps "
          + "that devices register to it.",
        columns: ["id", "name", "createdAt"]
      ) { _ in .listTeams },
      AdministrationVerb(
        "team", "remove", "Removes a team that has no apps, keys or certificates.",
        positionals: "ID", positionalCount: 1...1,
        options: [
          .flag(
            "force",
            "also remove the team's apps, keys and certificates, which cannot be restored")
        ], columns: ["id"]
      ) { .removeTeam(id: $0.positionals[0], isForced: $0.has("force")) },
    ])
}

/// `belfry key`: manages the keys that sign provider tokens.
enum KeyCommand {
  static let noun = AdministrationNoun(name: "key", verbs: [add, list, revoke, token])

  private static let add = AdministrationVerb(
    "key", "add", "Adds an ES256 key in the .p8 format that Apple uses.",
    options: [
      .value("team", "ID", default: "the only team", "the team whose apps the key can send to"),
      .value("id", "KEYID", default: "generated", "10 uppercase letters and digits"),
      .repeatable(
        "topic", "BUNDLE-ID", alias: "app", default: "all", "an app that the key can send to"),
      .value(
        "environment", "sandbox|production|both", default: "both",
        "environment in which the key is valid"),
      .value("related", "KEYID", "another key that can use the same connection"),
      .value("per-day", "N", "maximum number of relayed pushes per day (UTC)"),
      .value("per-second", "N", "maximum number of relayed pushes per second"),
      .value("out", "FILE.p8", "also write the private key to this file, which must not exist"),
    ], columns: ["id", "file"],
    finish: { lines, _, out in
      lines.forEach(warnOfUnknownTopics)
      guard let out, var line = lines.first, let kept = line["file"]?.stringValue
      else { return lines }
      try out.write(FileSystem.readRegularFile(kept, limit: 65_536))
      line["file"] = .string(out.path)
      return [line]
    }
  ) { options in
    .addKey(
      .init(
        id: options.value("id"), team: options.value("team") ?? "",
        environments: try Self.environments(options), topics: options.values("topic"),
        relatedKey: options.value("related"), perDay: try Self.limit("per-day", of: options),
        perSecond: try Self.limit("per-second", of: options)))
  }

  /// Returns the value of an option that limits relayed pushes; nil without this option.
  private static func limit<Number: FixedWidthInteger>(
    _ key: String, of options: CommandLineOptions
  ) throws -> Number? {
    guard let text = options.value(key) else { return nil }
    guard let count = Number(text), count > 0 else {
      throw CommandLineOptions.Problem.badValue(
        key: key, value: text, wanted: "a number from 1 to \(Number.max)")
    }
    return count
  }

  /// Prints a warning for each topic of a new key that no app of the key's team has.
  private static func warnOfUnknownTopics(_ key: JSONObject) {
    let team = key["team"]?.stringValue ?? ""
    let owners = key["topicTeams"]?.objectValue
    for topic in (key["unknownTopics"]?.arrayValue ?? []).compactMap(\.stringValue) {
      if let owner = owners?[topic]?.stringValue {
        Output.error(
          "warning: the app \(topic) belongs to team \(owner), so pushes to it with this key of team \(team) "
            + "are refused",
          do: "revoke this key, and create one with --team \(owner)")
        continue
      }
      Output.error(
        "warning: team \(team) has no app \(topic), so pushes to this topic are refused",
        do: "add it with 'belfry topic add --team \(team) \(topic)', or revoke this key and "
          + "create one with the right --topic")
    }
  }

  private static let list = AdministrationVerb(
    "key", "list", "Lists the keys.",
    columns: [
      "id", "team", "environment", "topics", "related", "perDay", "usedToday", "perSecond",
      "revokedAt",
    ],
    shown: { key in
      var key = key
      // A key without topics can send to every app of its team.
      if key["topics"] == nil { key["topics"] = "all" }
      return key
    }
  ) { _ in .listKeys }

  private static let revoke = AdministrationVerb(
    "key", "revoke", "Revokes a key immediately and permanently.", positionals: "KEYID",
    positionalCount: 1...1,
    columns: ["id", "revokedAt"],
    question: { options, _ in
      "revoke the key \(options.positionals.first ?? "") permanently? Senders that use it are refused."
    }
  ) { .revokeKey(id: $0.positionals[0]) }

  private static let token: AdministrationVerb = {
    var verb = AdministrationVerb(
      "key", "jwt",
      """
      Prints a fresh provider token. Use one token for all pushes of a connection: a connection accepts a new token \
      only 20 minutes after the previous one. With --key, the command needs no gateway, so it works on any machine.
      """,
      options: [
        .value("id", "KEYID", default: "the first valid key", "the key to sign with"),
        .value(
          "key", "FILE.p8",
          "sign with the key in this file; requires --id and --team, which 'belfry key list' prints"
        ),
        .value("team", "ID", "with --key: the key's team"),
      ], columns: ["token"]
    ) { .makeProviderToken(key: $0.value("id")) }
    verb.withoutGateway = Self.tokenOfFile
    return verb
  }()

  /// Returns a provider token that is signed with the key in the file specified with `--key`; nil without this option.
  @Sendable private static func tokenOfFile(_ options: CommandLineOptions) throws -> [JSONObject]? {
    guard let file = options.value("key") else {
      guard options.value("team") == nil else {
        throw UsageError("--team requires --key: add --key FILE.p8, or remove --team")
      }
      return nil
    }
    guard let id = options.value("id"), let team = options.value("team") else {
      throw UsageError("--key requires --id and --team: add them")
    }
    let p8 = try FileSystem.read(file, limit: 65_536)
    let key = try ProviderKey(p8: p8, keyID: id, teamID: team)
    let token = try key.token(issuedAt: SystemClock.unixMilliseconds / 1_000)
    return [["token": .string(token)]]
  }

  static func environments(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> EnvironmentScope {
    let name = try options.choice("environment", of: ["sandbox", "production", "both"])
    return name.flatMap(EnvironmentScope.init(name:)) ?? .both
  }
}

/// `belfry certificate`: manages the TLS certificates for providers, with Apple's extensions.
enum CertificateCommand {
  static let noun = AdministrationNoun(name: "certificate", verbs: [add, list, revoke])

  private static let add = AdministrationVerb(
    "certificate", "add",
    "Creates a provider's TLS certificate with its private key, as PEM or as PKCS#12 with an empty "
      + "password.",
    options: [
      .value(
        "team", "ID", default: "the team of the app",
        "the team whose apps the certificate can send to"),
      .value("topic", "BUNDLE-ID", alias: "app", "the app that the certificate can send to"),
      .value(
        "environment", "sandbox|production|both", default: "both",
        "environment in which the certificate is valid"),
      .value(
        "form", "universal|uid", default: "universal",
        "the kind of Apple certificate to imitate; with uid, the certificate has only one topic, so a provider can "
          + "omit apns-topic"),
      .value("key", "ec|rsa", default: "ec", "key type; Apple's certificates use RSA"),
      .flag("legacy-p12", "write PKCS#12 that uses RC2 and triple DES, for older software"),
      .value(
        "out", "FILE.pem|FILE.p12",
        "the file for the certificate and its private key, which must not exist"),
    ], columns: ["serial", "file"], finish: write
  ) { options in
    try Self.requireFormat(of: options.required("out"))
    // Check this before creating the certificate: a certificate that can't be exported would be useless.
    if options.has("legacy-p12") { try PKCS12.requireLegacy() }
    let form = try options.choice("form", of: ["universal", "uid"])
    let key = try options.choice("key", of: ["ec", "rsa"])
    return .addCertificate(
      .init(
        team: options.value("team") ?? "", bundleID: try options.required("topic"),
        environments: try KeyCommand.environments(options), isUniversal: form != "uid",
        hasRSAKey: key == "rsa"))
  }

  private static let list = AdministrationVerb(
    "certificate", "list",
    "Lists the certificates. A certificate whose state is 'authority retired' is no longer valid.",
    columns: ["serial", "team", "topic", "environment", "form", "expiresAt", "revokedAt", "state"],
    shown: { certificate in
      guard certificate["authorityRetired"] != nil, certificate["revokedAt"] == nil else {
        return certificate
      }
      var certificate = certificate
      certificate["state"] = "authority retired"
      return certificate
    }
  ) { _ in .listCertificates }

  private static let revoke = AdministrationVerb(
    "certificate", "revoke", "Revokes a certificate immediately and permanently.",
    positionals: "SERIAL",
    positionalCount: 1...1, columns: ["serial", "revokedAt"],
    question: { options, _ in
      "revoke the certificate \(options.positionals.first ?? "") permanently? "
        + "Senders that use it are refused."
    }
  ) { .revokeCertificate(serial: $0.positionals[0]) }

  /// Throws if the name of the file specified with `--out` ends in an extension of another format.
  private static func requireFormat(of file: String) throws(CommandLineOptions.Problem) {
    guard ["", "pem", "p12", "pfx"].contains(fileExtension(file)) else {
      throw .badValue(key: "out", value: file, wanted: "a name that ends in .pem or .p12")
    }
  }

  /// Returns the extension of a file's name in lowercase; empty if the name has no extension.
  ///
  /// A longer suffix is not an extension: mktemp creates names such as `tmp.XDbpTOx6LZ`.
  private static func fileExtension(_ file: String) -> String {
    let name = file.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    let suffix = name[name.index(after: dot)...]
    return suffix.count > 8 ? "" : suffix.lowercased()
  }

  /// Writes the private key to the file and nowhere else.
  @Sendable private static func write(
    _ lines: [JSONObject], _ options: CommandLineOptions, _ out: ReservedFile?
  ) throws -> [JSONObject] {
    guard let out, let line = lines.first, let chain = line["certificateChain"]?.stringValue,
      let key = line["privateKey"]?.stringValue
    else { return lines }
    let isPKCS12 =
      options.has("legacy-p12") || ["p12", "pfx"].contains(fileExtension(out.path))
    let bytes =
      isPKCS12
      ? try PKCS12.encode(
        certificatePEM: Array(chain.utf8), privateKeyPEM: Array(key.utf8), authorityPEM: nil,
        name: line["topic"]?.stringValue ?? "", password: "", legacy: options.has("legacy-p12"))
      : Array((chain + key).utf8)
    try out.write(bytes)
    var members = line.members.filter { !["certificateChain", "privateKey"].contains($0.key) }
    members.append(.init(key: "file", value: .string(out.path)))
    return [JSONObject(members.map { ($0.key, $0.value) })]
  }
}
