// A provider that sends notifications in its users' languages. It reads each device's language, which the app reports,
// from lines of the form `TOKEN LANGUAGE`. If it has no text in a language, it uses English.
import BelfryProvider
import Foundation
import Narration

/// The part of a gateway's `gateway.json` that a provider needs.
struct Gateway: Decodable {
  var host, caFile, teamID, keyID, keyFile: String
  var ports: [String: UInt16]
}

let specials = [
  "en": "Avocado bacon burger today", "fr": "Burger avocat et bacon aujourd'hui",
  "es": "Hamburguesa de aguacate hoy",
]

/// Returns the text in a language or in a regional variant of it; if it has none, returns the English text.
func special(for language: String) -> String {
  let primary = language.split(separator: "-").first.map(String.init) ?? ""
  return specials[language] ?? specials[primary] ?? specials["en"] ?? ""
}

@main
struct LanguageProvider {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return say("give the gateway's file and the app's topic") }
    let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
    let gateway = try JSONDecoder().decode(Gateway.self, from: file)
    let key = try ProviderKey(
      p8: [UInt8](Data(contentsOf: URL(fileURLWithPath: gateway.keyFile))), keyID: gateway.keyID,
      teamID: gateway.teamID)
    let client = try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: gateway.host, port: gateway.ports["provider"] ?? 443),
        credentials: .token(key),
        authorityPEM: [UInt8](Data(contentsOf: URL(fileURLWithPath: gateway.caFile)))))
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 2 else { continue }
      let payload = ["aps": ["alert": special(for: words[1])]]
      let push = Push(
        to: words[0], topic: arguments[2],
        payload: [UInt8](try JSONSerialization.data(withJSONObject: payload)))
      switch try await client.send(push) {
      case .accepted: say("sent \(words[1])")
      case .rejected(let refusal): say("refused \(refusal.reason)")
      }
    }
  }
}
