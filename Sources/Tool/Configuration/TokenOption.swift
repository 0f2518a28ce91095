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

  /// Returns the topic in `--topic`; nil if the option is absent.
  ///
  /// An empty topic, for example from an unset variable, would match nothing.
  func topic() throws(Problem) -> String? {
    guard let text = value("topic") else { return nil }
    guard !text.isEmpty else {
      throw .badValue(key: "topic", value: text, wanted: "a topic, such as com.example.app")
    }
    return text
  }
}
