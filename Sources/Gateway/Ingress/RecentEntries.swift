/// The newest entries of a list whose length is limited.
struct RecentEntries<Entry> {
  private let countMax: Int
  private var entries: [Entry] = []
  /// The index that the next entry overwrites once the list is full.
  private var oldest = 0

  init(countMax: Int) {
    precondition(countMax > 0, "a list has room for an entry")
    self.countMax = countMax
  }

  /// Adds an entry; replaces the oldest one if the list is full.
  mutating func append(_ entry: Entry) {
    assert(entries.count <= countMax, "the list is within its limit")
    guard entries.count == countMax else { return entries.append(entry) }
    entries[oldest] = entry
    oldest = (oldest + 1) % entries.count
    assert(entries.indices.contains(oldest), "the index of the oldest entry is within the list")
  }

  /// Returns the entries for which `matches` returns true, oldest first.
  func filter(_ matches: (Entry) -> Bool) -> [Entry] {
    (entries[oldest...] + entries[..<oldest]).filter(matches)
  }
}
