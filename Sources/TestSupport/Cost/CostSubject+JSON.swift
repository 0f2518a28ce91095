import BelfryWire

import Agent
import Gateway
import Transport

extension CostSubject {
  /// The JSON parser and the values that it creates.
  static var json: [CostSubject] {
    Hostile.json.map { kind in
      CostSubject("JSON: \(kind.name)", limit: WireLimits.appFrameBytesMaxFromApp) { bytes in
        let text = Array(kind.make(bytes).utf8)
        return {
          guard let value = try? JSONValue(parsing: text) else { return }
          _ = value.bytes
          precondition(value == value)
          _ = value.hashValue
          _ = JSONValue.doubledKey(in: text)
        }
      }
    }
  }

  /// Administration requests, processed as they are on the console's port.
  static var requests: [CostSubject] {
    Hostile.json.map { kind in
      CostSubject("administration: \(kind.name)", limit: 1 << 20) { bytes in
        let input = Array("POST /api/teams\n".utf8) + Array(kind.make(bytes).utf8)
        return { FuzzTarget.administration.run(input) }
      }
    } + http1
  }

  private static var http1: [CostSubject] {
    func head(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> CostSubject {
      CostSubject("HTTP/1.1: \(name)", limit: 8_192) { bytes in
        let input: [UInt8] = [0, 255] + Array(make(bytes).utf8)
        return { FuzzTarget.http1.run(input) }
      }
    }
    func body(_ name: String, _ make: @escaping @Sendable (Int) -> String) -> CostSubject {
      CostSubject("HTTP/1.1: \(name)", limit: 1 << 20) { bytes in
        let input: [UInt8] = [0, 255] + Array(make(bytes).utf8)
        return { FuzzTarget.http1.run(input) }
      }
    }
    return [
      head("short fields") { bytes in
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:b\r\n", count: bytes / 5) + "\r\n"
      },
      head("a long field") {
        "GET / HTTP/1.1\r\nHost: a\r\nA: \(String(repeating: "b", count: $0))\r\n\r\n"
      },
      head("a query of many pairs") {
        "GET /?\(String(repeating: "a=%41&", count: $0 / 6)) HTTP/1.1\r\nHost: a\r\n\r\n"
      },
      body("chunks of one byte") {
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
          + String(repeating: "1\r\na\r\n", count: $0 / 6) + "0\r\n\r\n"
      },
      body("a form of combining marks") {
        let form = String(repeating: "%CC%81%CC%96", count: $0 / 12) + "=1"
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(form.utf8.count)\r\n\r\n" + form
      },
      body("a form of many pairs") {
        let form = String(repeating: "a=b&", count: $0 / 4)
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(form.utf8.count)\r\n\r\n" + form
      },
    ]
  }
}
