import BelfryWire
import Gateway
import System

/// `belfry ca`: manages the certificate authority that the gateway's clients trust, and its successor.
enum AuthorityCommand {
  static let noun = AdministrationNoun(
    name: "ca",
    verbs: [
      AdministrationVerb(
        "ca", "list",
        "Lists the certificate authorities, what each one signs, how many devices and providers still need it, and "
          + "how many devices are locked out because their authority was removed.",
        columns: columns, listing: "authorities"
      ) { _ in .listAuthorities },
      AdministrationVerb(
        "ca", "rotate",
        "Creates a certificate authority to replace the current one; both are trusted until you "
          + "run 'belfry ca finish'.",
        columns: columns
      ) { _ in .rotateAuthority },
      AdministrationVerb(
        "ca", "finish", "Retires the previous authority if no device or provider still needs it.",
        options: [
          .flag(
            "force",
            "retire the authority even if devices or providers still need it; these devices and "
              + "providers lose access")
        ],
        columns: columns
      ) { .finishAuthority(isForced: $0.has("force")) },
    ])

  private static let columns = [
    "id", "name", "signs", "devices", "lockedOut", "providers", "endsAt",
  ]
}

/// `belfry token-key`: manages the keys that seal device tokens.
enum TokenKeyCommand {
  static let noun = AdministrationNoun(
    name: "token-key",
    verbs: [
      AdministrationVerb(
        "token-key", "list",
        "Lists the keys that seal device tokens, with the number of valid tokens for each key.",
        columns: columns, listing: "token keys", shown: shown
      ) { _ in .listTokenKeys },
      AdministrationVerb(
        "token-key", "rotate",
        "Creates a key for new device tokens; existing tokens stay valid.",
        columns: columns, shown: shown
      ) { _ in .rotateTokenKey },
      AdministrationVerb(
        "token-key", "retire", "Retires a key that no token needs.", positionals: "ID",
        positionalCount: 1...1,
        options: [.flag("force", "retire the key even if this invalidates tokens")],
        columns: columns, shown: shown
      ) { .retireTokenKey(id: $0.positionals[0], isForced: $0.has("force")) },
    ])

  private static let columns = ["id", "state", "tokens"]

  /// Adds the state of a key: only the current key seals new tokens.
  @Sendable private static func shown(_ key: JSONObject) -> JSONObject {
    var key = key
    key["state"] = .string(key["seals"]?.boolValue == true ? "current" : "old")
    return key
  }
}
