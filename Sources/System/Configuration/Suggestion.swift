/// Suggestions for misspelled words.
public enum Suggestion {
  /// The maximum number of bytes in a word for which a suggestion is computed; the cost of a comparison grows with the
  /// number of letters.
  private static let wordBytesMax = 64

  /// Returns the candidate with the smallest edit distance to `word`, or nil if no candidate is similar enough.
  ///
  /// The case of letters is ignored.
  /// The distance must not exceed 2 or a third of the word's length. For a word of up to four letters, such as "port",
  /// a distance of 2 counts only if the candidate continues the word.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    guard let best = ranked(word, candidates).first else { return nil }
    let isShort = word.count <= 4 && !best.candidate.hasPrefix(word)
    return best.distance <= (isShort ? 1 : max(2, word.count / 3)) ? best.candidate : nil
  }

  /// Returns the `count` candidates with the smallest edit distances to `word`, nearest first, regardless of distance.
  public static func nearest(_ count: Int, to word: String, in candidates: [String]) -> [String] {
    assert(count > 0, "a suggestion has at least one word")
    return ranked(word, candidates).prefix(count).map(\.candidate)
  }

  private static func ranked(
    _ word: String, _ candidates: [String]
  ) -> [(candidate: String, distance: Int)] {
    guard word.utf8.count <= wordBytesMax else { return [] }
    let letters = Array(word.lowercased())
    // The sort is stable: among candidates with the same distance, the order is unchanged.
    return candidates.map { ($0, edits(letters, Array($0.lowercased()))) }.sorted { $0.1 < $1.1 }
  }

  /// Returns the Levenshtein distance, except that a swap of two adjacent letters counts as a single edit.
  private static func edits(_ one: [Character], _ other: [Character]) -> Int {
    var beforeLast = [Int]()
    var last = Array(0...other.count)
    for row in 0..<one.count {
      var current = [row + 1]
      for column in 0..<other.count {
        let replaced = last[column] + (one[row] == other[column] ? 0 : 1)
        var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
