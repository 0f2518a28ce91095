import Glibc
import System

/// `belfry man`: shows manual pages, which are generated from the commands' option tables.
enum ManualCommand {
  static let table = OptionTable(
    command: "belfry man",
    summary: """
      Shows the manual page of a command, or the overview if no command is given. If standard output is not a
      terminal, prints the page's source (roff). With --out, writes all pages to a folder.
      """,
    positionals: "[COMMAND [VERB]]", positionalCount: 0...2,
    [
      .value(
        "out", "DIR", "folder to write the pages to, each to its own file, such as belfry-agent.1"),
      .value(
        "format", "roff|markdown", default: "on a terminal, a formatted page; otherwise, roff",
        "format of the pages"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let format = try options.choice("format", of: ["roff", "markdown"])
      if let folder = options.value("out") {
        guard options.positionals.isEmpty else {
          throw UsageError("--out writes all pages: remove '\(options.positionals[0])'")
        }
        try write(to: folder, isMarkdown: format == "markdown")
        return 0
      }
      if format == "markdown" { return printMarkdown(options.positionals) }
      let pages = ManualPage.all
      let name = (["belfry"] + options.positionals).joined(separator: "-")
      guard let page = pages.first(where: { $0.name == name }) else {
        return unknown(name, pages.map(\.name))
      }
      if format == nil, isatty(STDOUT_FILENO) == 1 {
        // This call returns only if the page couldn't be shown.
        ManualViewer.become(showing: page)
        Output.text(page.text)
      } else {
        Output.text(page.roff)
      }
      return 0
    }
  }

  private static func write(to folder: String, isMarkdown: Bool) throws(SystemFailure) {
    let files =
      isMarkdown
      ? MarkdownPage.all.map { ($0.name + ".md", $0.text) }
      : ManualPage.all.map { ($0.name + ".1", $0.roff) }
    try FileSystem.makeDirectories(folder)
    for (name, text) in files {
      try FileSystem.write(Array(text.utf8), to: "\(folder)/\(name)", mode: 0o644)
    }
  }

  private static func printMarkdown(_ words: [String]) -> Int32 {
    let pages = MarkdownPage.all
    // The page for a command includes its verbs.
    let name = words.first ?? MarkdownPage.indexName
    guard let page = pages.first(where: { $0.name == name }) else {
      return unknown(name, pages.map(\.name))
    }
    Output.text(page.text)
    return 0
  }

  private static func unknown(_ name: String, _ names: [String]) -> Int32 {
    let nearest = Suggestion.nearest(to: name, in: names)
    Output.error(
      "no manual page '\(name)'",
      do: nearest.map { "did you mean '\($0)'?" } ?? "run 'belfry --help' for a list of commands")
    return 2
  }
}

/// The program `man`, which formats a page for a terminal and shows it in a pager.
private enum ManualViewer {
  /// Replaces this process with `man`, which shows the page.
  ///
  /// This method returns only if `man` or the formatter that it requires isn't installed.
  static func become(showing page: ManualPage) {
    guard isInstalled("man"), isInstalled("groff"), let file = unsafe tmpfile() else { return }
    let descriptor = unsafe fileno(file)
    let bytes = Array(page.roff.utf8)
    let written = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    // The pager reads keys from the terminal, so the page can be passed as standard input.
    guard written == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0,
      dup2(descriptor, STDIN_FILENO) >= 0
    else { return }
    let words = ["man", "-l", "-"]
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    _ = unsafe execvp("man", &arguments)
  }

  private static func isInstalled(_ name: String) -> Bool {
    (StateFolders.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains {
      unsafe access("\($0)/\(name)", X_OK) == 0
    }
  }
}
