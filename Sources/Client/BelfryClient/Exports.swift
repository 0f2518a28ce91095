// Every client module passes Foundation on through here alone, so that a name which this module has
// too (`Locale.preferredLanguages`) is found here first.
@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems URL loading is part of Foundation; files that import one of the modules
  // alone count on it.
  @_exported public import FoundationNetworking
#endif
