import Gateway
import System

/// `belfry ca`: the certificate authority that the gateway's clients trust, and its successor.
enum AuthorityCommand {
  static let noun = AdministrationNoun(
    name: "ca",
    verbs: [
      AdministrationVerb(
        "ca", "list", "Lists the authorities: what each signs, and how many still need it.",
        columns: columns, listing: "authorities"
      ) { _ in .listAuthorities },
      AdministrationVerb(
        "ca", "rotate",
        "Makes an authority that is to take the place of the one there is; both are trusted until `finish`.",
        columns: columns
      ) { _ in .rotateAuthority },
      AdministrationVerb(
        "ca", "finish", "Gives the former authority up, once nobody needs it.",
        options: [.flag("force", "also where devices and providers still need it: they are lost")],
        columns: columns
      ) { .finishAuthority(isForced: $0.has("force")) },
    ])

  private static let columns = ["id", "name", "signs", "devices", "providers", "endsAt"]
}

/// `belfry token-key`: the keys that seal device tokens.
enum TokenKeyCommand {
  static let noun = AdministrationNoun(
    name: "token-key",
    verbs: [
      AdministrationVerb(
        "token-key", "list",
        "Lists the keys of device tokens, and how many good tokens each has sealed.",
        columns: columns, listing: "token keys"
      ) { _ in .listTokenKeys },
      AdministrationVerb(
        "token-key", "rotate",
        "Makes a key that seals device tokens from now on; the tokens of the others stay good.",
        columns: columns
      ) { _ in .rotateTokenKey },
      AdministrationVerb(
        "token-key", "retire", "Gives a key up, once no token needs it.", positionals: "ID",
        positionalCount: 1...1,
        options: [.flag("force", "also where good tokens die with it")], columns: columns
      ) { .retireTokenKey(id: $0.positionals[0], isForced: $0.has("force")) },
    ])

  private static let columns = ["id", "seals", "tokens"]
}
