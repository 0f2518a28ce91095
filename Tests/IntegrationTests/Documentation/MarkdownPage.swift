import Foundation
import TestSupport

/// The code blocks and code spans on a page of the documents.
struct MarkdownPage {
  /// A fenced block.
  struct Block {
    /// The word after the opening fence, or an empty string.
    let language: String
    /// The lines of the block, without the indentation of its fence.
    let text: String

    /// True if the block is typed into a shell.
    var isForShell: Bool { ["", "sh", "bash", "shell", "console"].contains(language) }
  }

  let blocks: [Block]
  /// The code spans within sentences.
  let excerpts: [String]

  /// Reads the page at this path in the repository.
  init(_ path: String) throws {
    let text = try String(contentsOfFile: "\(Installation.root)/\(path)", encoding: .utf8)
    var (blocks, excerpts): ([Block], [String]) = ([], [])
    var block: (language: String, indentation: Int, lines: [Substring])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let indentation = line.prefix { $0 == " " }.count
      if line.dropFirst(indentation).hasPrefix("```") {
        if let ended = block {
          blocks.append(
            Block(language: ended.language, text: ended.lines.joined(separator: "\n")))
          block = nil
        } else {
          block = (String(line.dropFirst(indentation + 3)), indentation, [])
        }
      } else if let started = block {
        block?.lines.append(line.dropFirst(min(started.indentation, indentation)))
      } else {
        excerpts += line.matches(of: /`([^`]+)`/).map { String($0.output.1) }
      }
    }
    (self.blocks, self.excerpts) = (blocks, excerpts)
  }
}
