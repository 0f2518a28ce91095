import AppWire
import Scheduling
import System

/// `belfry location`: sets the device's location if no service reports it.
enum LocationCommand {
  static let table = OptionTable(
    command: "belfry location",
    summary: "Sets the device's location, which triggers notifications for that location.",
    positionals: "set LAT,LON", positionalCount: 2...3,
    [AgentControl.jsonOption, AgentControl.socketOption])

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table) { options, agent in
      let place = try place(options.positionals)
      _ = try agent.ask(place)
    }
  }

  private static func place(_ words: [String]) throws -> ControlRequest {
    guard words.first == "set" else {
      throw UsageError("invalid arguments '\(words.joined(separator: " "))': expected set LAT,LON")
    }
    let text = words.dropFirst().joined(separator: ",")
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    guard numbers.count == 2,
      Place(latitude: numbers[0], longitude: numbers[1], certainty: .exact) != nil
    else {
      throw UsageError(
        "invalid location '\(text)': expected a latitude from -90 to 90 and a longitude from -180 to 180, such as "
          + "48.858,2.294")
    }
    return .setPlace(latitude: numbers[0], longitude: numbers[1])
  }
}
