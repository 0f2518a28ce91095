import Foundation

// Hash tables iterate in the same order only if this variable is set. Without it, a seed doesn't determine a world.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
  execv("/proc/self/exe", &arguments)
  perror("execv")
  exit(1)
}

guard let options = SimulationOptions(Array(CommandLine.arguments.dropFirst())) else {
  FileHandle.standardError.write(Data(SimulationOptions.usage.utf8))
  exit(2)
}
if options.stride == nil { exit(Crew(options).play()) } else { exit(Player(options).play()) }
