import BelfryWire
import System

extension CommandLineOptions {
  /// Returns the device token in `--token`; nil if the option is absent.
  func deviceToken() throws(Problem) -> [UInt8]? {
    guard let text = value("token") else { return nil }
    guard let token = Hexadecimal.decode(text), !token.isEmpty else {
      throw .badValue(
        key: "token", value: text,
        wanted: "a device token, which has an even number of hexadecimal digits")
    }
    return token
  }
}
