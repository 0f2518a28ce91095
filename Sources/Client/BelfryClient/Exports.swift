// All client modules re-export Foundation only through this file, so that a name that this module also declares
// (`Locale.preferredLanguages`) is found here first.
@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems, URL loading is part of Foundation; files that import only one of the modules depend on it.
  @_exported public import FoundationNetworking
#endif
