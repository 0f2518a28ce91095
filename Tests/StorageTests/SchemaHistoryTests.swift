import Foundation
import System
import TestSupport
import Testing

@testable import Storage

/// Tests that every schema change has a fixture, and that the documentation describes the way back to the earlier
/// release.
@Suite struct SchemaHistoryTests {
  /// The stores and their file names.
  private static let files: [(store: ReleasedSchemaTests.Store, file: String)] = [
    (.control, "control.sqlite"), (.notifications, "notifications.sqlite"),
    (.records, "agent.sqlite"), (.registry, "registry.sqlite"),
  ]

  private static var page: String {
    get throws {
      try String(contentsOfFile: "\(Installation.root)/docs/operations/upgrade.md", encoding: .utf8)
    }
  }

  /// Returns the page's lines below a heading.
  private func section(_ heading: String) throws -> String {
    let parts = try Self.page.components(separatedBy: "\n## ")
    return try #require(parts.first { $0.hasPrefix(heading + "\n") }, "no section \(heading)")
  }

  @Test func `Each store has a fixture of the schema before its present one`() {
    for (store, file) in Self.files {
      let version = store.schema.migrations.count - 1
      guard version > 0 else { continue }
      let fixtures = ReleasedSchemaTests.released.filter { $0.store == store }.map(\.version)
      #expect(
        fixtures.contains(version),
        "\(file) has schema \(version + 1): add a file with schema \(version) to Tests/Fixtures/schemas"
      )
    }
  }

  @Test func `The page about upgrades names each store's present schema`() throws {
    let lines = try section("During an upgrade").split(separator: "\n")
    for (store, file) in Self.files {
      let row = try #require(lines.first { $0.hasPrefix("| `\(file)` |") }, "\(file)")
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(
        cells.last == "\(store.schema.migrations.count)",
        "\(file) has schema \(store.schema.migrations.count): say so in docs/operations/upgrade.md")
    }
  }

  @Test func `The documented way back puts back each store of which an upgrade makes a copy`()
    throws
  {
    let section = try section("Downgrading")
    let commands = try #require(
      section.components(separatedBy: "```").dropFirst().first, "the section has no commands")
    for released in ReleasedSchemaTests.released
    where released.release == "0.1.0" && [.control, .notifications].contains(released.store) {
      let isCopied = released.version < released.store.schema.migrations.count
      #expect(
        commands.contains("mv \"$(ls -v \(released.file).schema-* | tail -1)\" \(released.file)\n")
          == isCopied, "\(released.file) is upgraded from schema \(released.version)")
      #expect(commands.contains("rm -f \(released.file)-wal \(released.file)-shm") == isCopied)
    }
  }

  @Test func `The scripts of earlier schemas are what they were`() throws {
    let path = "\(Installation.root)/Tests/Fixtures/schemas/scripts.txt"
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    var lines = ""
    for (store, file) in Self.files {
      for (index, script) in store.schema.migrations.enumerated() {
        let sum = Checksum.crc32c(Array("\(script)".utf8))
        lines += "\(file) \(index + 1) \(String(sum, radix: 16))\n"
      }
    }
    let missing = lines.split(separator: "\n").filter { !kept.contains("\($0)\n") }
    #expect(
      lines == kept,
      "released scripts never change; for a new one, add its line to \(path): \(missing)")
  }
}
