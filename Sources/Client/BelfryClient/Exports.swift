// All client modules re-export Foundation through this file only. Therefore, if both this module and Foundation declare
// a name, such as `Locale.preferredLanguages`, the compiler finds this module's declaration first.
@_exported public import Foundation

#if canImport(FoundationNetworking)
  // On Apple's systems, URL loading is part of Foundation, so code for Apple's systems imports only one module.
  @_exported public import FoundationNetworking
#endif
