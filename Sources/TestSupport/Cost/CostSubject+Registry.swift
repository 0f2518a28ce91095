import BelfryWire
import Transport

import ProviderService

extension CostSubject {
  /// Registrations that an app sends with its key.
  static var registry: [CostSubject] {
    func fields(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> CostSubject {
      CostSubject("registration: \(name)", limit: 1 << 20) { bytes in
        let zones = DeviceZones()
        let request = HTTP1Request(
          method: "POST", path: "/register", fields: [("content-type", "application/json")],
          body: Array(make(bytes).utf8))
        return { _ = try? RegistrationRequest(request, zones: zones) }
      }
    }
    func form(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> CostSubject {
      CostSubject("registration: \(name)", limit: 1 << 20) { bytes in
        let zones = DeviceZones()
        let request = HTTP1Request(
          method: "POST", path: "/register",
          fields: [("content-type", "application/x-www-form-urlencoded")],
          body: Array(make(bytes).utf8))
        return { _ = try? RegistrationRequest(request, zones: zones) }
      }
    }
    let values = ["deviceToken", "language", "timeZone", "user", "environment", "tag"].map {
      field in
      fields("combining marks as \(field)") { bytes in
        #"{"deviceToken":"00ff","\#(field)":"\#(Hostile.marks(bytes))"}"#
      }
    }
    return Hostile.json.map { kind in fields(kind.name, kind.make) } + values + [
      fields("distinct tags") { bytes in
        #"{"deviceToken":"00ff","tags":[\#(Hostile.list(bytes, each: 9) { "\"\(100_000 + $0)\"" })]}"#
      },
      fields("one tag repeated") { bytes in
        #"{"deviceToken":"00ff","tags":[\#(Hostile.list(bytes, each: 4) { _ in #""a""# })]}"#
      },
      form("distinct tags in a form") { bytes in
        "deviceToken=00ff&" + (0..<bytes / 11).map { "tag=\(100_000 + $0)" }.joined(separator: "&")
      },
      form("unknown fields in a form") { bytes in
        "deviceToken=00ff&" + (0..<bytes / 9).map { "\(100_000 + $0)=1" }.joined(separator: "&")
      },
    ]
  }

  /// Campaigns and their strings files.
  static var campaigns: [CostSubject] {
    func campaign(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> CostSubject {
      CostSubject("campaign: \(name)", limit: 1 << 20) { bytes in
        let object = (try? JSONValue(parsing: make(bytes)))?.objectValue ?? [:]
        precondition(!object.isEmpty)
        return { _ = try? CampaignDocument(object).preview(in: "en") }
      }
    }
    func file(_ name: String, _ ending: String, _ make: @escaping @Sendable (Int) -> String)
      -> CostSubject
    {
      CostSubject("strings file: \(name)", limit: ProviderService.Limits.stringsFileBytesMax) {
        bytes in
        let text = Array(make(bytes).utf8)
        return {
          _ = try? StringsFile.resolve(
            ["alert": ["fr": .string("fr.\(ending)")]], files: ["fr.\(ending)": text])
        }
      }
    }
    @Sendable func alert(_ body: String, arguments: String = "[\"3\"]") -> String {
      #"{"topic":"com.example.app","alert":{"en":{"body":\#(body)}},"arguments":\#(arguments)}"#
    }
    // The number of languages grows with the file, so parsing the file once per language takes quadratic time.
    let shared = CostSubject(
      "strings file: referenced by many languages",
      limit: ProviderService.Limits.stringsFileBytesMax
    ) { bytes in
      let keys = (0..<bytes / 24).map { "\"key\(100_000 + $0)\" = \"text\";" }
      let text = Array((keys + [#""body" = "b";"#]).joined(separator: "\n").utf8)
      let letters = Array("abcdefghijklmnopqrstuvwxyz")
      let languages = (0..<min(200, max(1, bytes / 5_000))).map { number in
        ("\(letters[number / 26 % 26])\(letters[number % 26])", JSONValue.string("a.strings"))
      }
      let campaign: JSONObject = ["alert": .object(JSONObject(languages))]
      return { _ = try? StringsFile.resolve(campaign, files: ["a.strings": text]) }
    }
    return [
      shared,
      campaign("one long argument referenced often") { bytes in
        let format = String(repeating: "%1$@", count: bytes / 8)
        return alert(
          "\"\(format)\"", arguments: "[\"\(String(repeating: "x", count: bytes / 2))\"]")
      },
      campaign("forms that reference each other") { bytes in
        alert(
          #"{"NSStringLocalizedFormatKey":"%#@a@","a":{"NSStringFormatSpecTypeKey":"NSStringPluralRuleType","other":"\#(String(repeating: "%#@a@", count: bytes / 5))"}}"#
        )
      },
      campaign("placeholders without an argument") { bytes in
        alert("\"\(String(repeating: "%@", count: bytes / 2))\"")
      },
      campaign("placeholders that differ between languages") { bytes in
        let languages = Hostile.list(bytes, each: max(32, bytes / 100)) { number in
          let language =
            "x\(UnicodeScalar(UInt8(97 + number / 26 % 26)))\(UnicodeScalar(UInt8(97 + number % 26)))"
          let text = String(
            repeating: number == 0 ? "%@" : "%d", count: max(1, max(32, bytes / 100) / 2 - 10))
          return #""\#(language)":{"body":"\#(text)"}"#
        }
        return #"{"topic":"com.example.app","alert":{\#(languages)},"arguments":["3"]}"#
      },
      campaign("languages") { bytes in
        #"{"topic":"com.example.app","alert":{\#(Hostile.list(bytes, each: 24) { #""a\#(100_000 + $0)":{"body":"b"}"# })}}"#
      },
      campaign("unknown members") { bytes in
        #"{"topic":"com.example.app",\#(Hostile.list(bytes, each: 11) { #""m\#(100_000 + $0)":1"# })}"#
      },
      campaign("combining marks as a language") { bytes in
        #"{"topic":"com.example.app","alert":{"\#(Hostile.marks(bytes))":{"body":"b"}}}"#
      },
      campaign("combining marks as a member") { bytes in
        #"{"topic":"com.example.app","\#(Hostile.marks(bytes))":1}"#
      },
      campaign("combining marks in a string") { bytes in alert("\"\(Hostile.marks(bytes))\"") },
      file("pairs", "strings") { bytes in
        (0..<max(1, bytes / 14)).map { "\"\(100_000 + $0)\"=\"b\";" }.joined(separator: "\n")
      },
      file("combining marks as a key", "strings") { "\"\(Hostile.marks($0))\"=\"b\";" },
      file("comments", "strings") { String(repeating: "/**/", count: $0 / 4) + "\"body\"=\"b\";" },
      file("unterminated comments", "strings") { String(repeating: "/*", count: $0 / 2) },
      file("escapes", "strings") {
        "\"body\"=\"" + String(repeating: #"\U0301\U0316"#, count: $0 / 12) + "\";"
      },
      file("elements", "stringsdict") { bytes in
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
          + (0..<max(1, bytes / 38)).map { "<key>\(100_000 + $0)</key><string>b</string>" }.joined()
          + "</dict></plist>"
      },
      file("combining marks as a key", "stringsdict") {
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>\(Hostile.marks($0))</key><string>b</string></dict></plist>"
      },
      file("small members", "json") { bytes in
        Hostile.object(bytes, each: 15) { #""\#(100_000 + $0)":"b""# }
      },
    ]
  }
}
