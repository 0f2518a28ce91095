import Foundation

/// Prints a line and flushes it immediately, even if the output is a pipe.
public func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
