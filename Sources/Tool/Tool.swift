/// The executable `belfry`: one file a subcommand.
@main
enum Tool {
  static func main() {}
}
