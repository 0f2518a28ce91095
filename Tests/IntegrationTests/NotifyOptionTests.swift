import System
import Testing

@testable import Tool

/// Tests of the errors for invalid options of `belfry notify`.
@Suite struct NotifyOptionTests {
  @Test(arguments: [
    ("2027-02-30T10:00", "a day from 01 to 28 in 2027-02"),
    ("2028-02-30 10:00", "a day from 01 to 29 in 2028-02"),
    ("2027-04-31T10:00Z", "a day from 01 to 30 in 2027-04"),
    ("2027-01-00T10:00", "a day from 01 to 31 in 2027-01"),
    ("2027-13-01T10:00", "a time such as 18:00"), ("2027-02-28T25:00", "a time such as 18:00"),
    ("tomorrow", "a time such as 18:00"),
  ])
  func `The error for a date that does not exist has the days of the month`(
    time: String, wanted: String
  ) throws {
    let options = try CommandLineOptions(["--at", time], by: NotifyCommand.table)
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try NotifyTrigger.read(options) { 0 }
    }
    #expect(
      problem?.description.hasPrefix("invalid value '\(time)' for --at: expected \(wanted)") == true
    )
  }

  @Test(arguments: ["2026-12-01T9:05", "2026-12-01 9:05", "2026-12-01 09:05"])
  func `The hour of a date can have one digit`(time: String) throws {
    func trigger(_ time: String) throws -> String {
      let options = try CommandLineOptions(["--at", time], by: NotifyCommand.table)
      return String(describing: try NotifyTrigger.read(options) { 0 })
    }
    #expect(try trigger(time) == trigger("2026-12-01T09:05"))
  }

  @Test func `The help and the error of --icon have the same formats`() throws {
    let formats = "such as PNG, JPEG or SVG"
    let options = try CommandLineOptions(
      ["Tea", "--icon", "/etc/hostname"], by: NotifyCommand.table)
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try NotifyContent.read(options)
    }
    #expect(problem?.description.contains(formats) == true)
    #expect(NotifyCommand.table.help.contains(formats))
  }
}
