import Foundation

/// Prints a line at once, also where the output is a pipe.
public func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
