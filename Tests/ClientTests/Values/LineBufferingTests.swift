import Foundation
import Glibc
import TestSupport
import Testing

@testable import BelfryClient

@Suite struct LineBufferingTests {
  @Test func `Each line of output to a file is written immediately`() throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let path = scratch.file("output")
    let stream = try #require(fopen(path, "w"))
    defer { fclose(stream) }
    LineBuffering.begin(on: stream)
    fputs("first line\nsecond", stream)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "first line\n")
  }
}
