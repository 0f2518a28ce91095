// All client modules re-export Foundation only through this file, so that a name that this module also declares, such
// as `Locale.preferredLanguages`, is found in this module first.
@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems, URL loading is part of Foundation; code written for them expects that importing a single module
  // is enough.
  @_exported public import FoundationNetworking
#endif
