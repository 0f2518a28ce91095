#include "CNATS.h"

#include <dlfcn.h>
#include <stdio.h>

// Belfry loads libnats when a bus is used, because the library's soname contains its minor version. A program that is
// linked with it would start only where the same minor version is installed. Each function below has the name and the
// parameters of the library's function, and calls it.

static struct {
  void (*natsConnection_Close)(natsConnection *nc);
  natsStatus (*natsConnection_Connect)(natsConnection **nc, natsOptions *options);
  void (*natsConnection_Destroy)(natsConnection *nc);
  natsStatus (*natsConnection_FlushTimeout)(natsConnection *nc, int64_t timeout);
  natsStatus (*natsConnection_GetLastError)(natsConnection *nc, const char **lastError);
  int64_t (*natsConnection_GetMaxPayload)(natsConnection *nc);
  natsStatus (*natsConnection_Publish)(natsConnection *nc, const char *subj, const void *data, int dataLen);
  natsStatus (*natsConnection_Subscribe)(natsSubscription **sub, natsConnection *nc, const char *subject, natsMsgHandler cb, void *cbClosure);
  void (*natsMsg_Destroy)(natsMsg *msg);
  const char* (*natsMsg_GetData)(const natsMsg *msg);
  int (*natsMsg_GetDataLength)(const natsMsg *msg);
  const char* (*natsMsg_GetSubject)(const natsMsg *msg);
  natsStatus (*natsOptions_Create)(natsOptions **newOpts);
  void (*natsOptions_Destroy)(natsOptions *opts);
  natsStatus (*natsOptions_LoadCATrustedCertificates)(natsOptions *opts, const char *fileName);
  natsStatus (*natsOptions_LoadCertificatesChain)(natsOptions *opts, const char *certsFileName, const char *keyFileName);
  natsStatus (*natsOptions_SetAllowReconnect)(natsOptions *opts, bool allow);
  natsStatus (*natsOptions_SetClosedCB)(natsOptions *opts, natsConnectionHandler closedCb, void *closure);
  natsStatus (*natsOptions_SetErrorHandler)(natsOptions *opts, natsErrHandler errHandler, void *closure);
  natsStatus (*natsOptions_SetExpectedHostname)(natsOptions *opts, const char *hostname);
  natsStatus (*natsOptions_SetMaxPendingMsgs)(natsOptions *opts, int maxPending);
  natsStatus (*natsOptions_SetMaxPingsOut)(natsOptions *opts, int maxPingsOut);
  natsStatus (*natsOptions_SetName)(natsOptions *opts, const char *name);
  natsStatus (*natsOptions_SetPingInterval)(natsOptions *opts, int64_t interval);
  natsStatus (*natsOptions_SetSecure)(natsOptions *opts, bool secure);
  natsStatus (*natsOptions_SetSendAsap)(natsOptions *opts, bool sendAsap);
  natsStatus (*natsOptions_SetTimeout)(natsOptions *opts, int64_t timeout);
  natsStatus (*natsOptions_SetURL)(natsOptions *opts, const char *url);
  natsStatus (*natsOptions_SetUserCredentialsFromFiles)(natsOptions *opts, const char *userOrChainedFile, const char *seedFile);
  natsStatus (*natsOptions_SetUserInfo)(natsOptions *opts, const char *user, const char *password);
  natsStatus (*natsOptions_SetWriteDeadline)(natsOptions *opts, int64_t deadline);
  natsStatus (*natsOptions_UseGlobalMessageDelivery)(natsOptions *opts, bool global);
  const char* (*natsStatus_GetText)(natsStatus s);
  void (*natsSubscription_Destroy)(natsSubscription *sub);
  natsStatus (*natsSubscription_GetDropped)(natsSubscription *sub, int64_t *msgs);
  natsStatus (*natsSubscription_SetPendingLimits)(natsSubscription *sub, int msgLimit, int bytesLimit);
  const char* (*nats_GetLastError)(natsStatus *status);
} library;

static const char *const names[] = {
    "natsConnection_Close",
    "natsConnection_Connect",
    "natsConnection_Destroy",
    "natsConnection_FlushTimeout",
    "natsConnection_GetLastError",
    "natsConnection_GetMaxPayload",
    "natsConnection_Publish",
    "natsConnection_Subscribe",
    "natsMsg_Destroy",
    "natsMsg_GetData",
    "natsMsg_GetDataLength",
    "natsMsg_GetSubject",
    "natsOptions_Create",
    "natsOptions_Destroy",
    "natsOptions_LoadCATrustedCertificates",
    "natsOptions_LoadCertificatesChain",
    "natsOptions_SetAllowReconnect",
    "natsOptions_SetClosedCB",
    "natsOptions_SetErrorHandler",
    "natsOptions_SetExpectedHostname",
    "natsOptions_SetMaxPendingMsgs",
    "natsOptions_SetMaxPingsOut",
    "natsOptions_SetName",
    "natsOptions_SetPingInterval",
    "natsOptions_SetSecure",
    "natsOptions_SetSendAsap",
    "natsOptions_SetTimeout",
    "natsOptions_SetURL",
    "natsOptions_SetUserCredentialsFromFiles",
    "natsOptions_SetUserInfo",
    "natsOptions_SetWriteDeadline",
    "natsOptions_UseGlobalMessageDelivery",
    "natsStatus_GetText",
    "natsSubscription_Destroy",
    "natsSubscription_GetDropped",
    "natsSubscription_SetPendingLimits",
    "nats_GetLastError",
};

static void *open_library(void) {
  // Every release with the major version 3 has these functions.
  for (int minor = 20; minor >= 1; minor--) {
    char name[32];
    snprintf(name, sizeof name, "libnats.so.3.%d", minor);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
  }
  return dlopen("libnats.so", RTLD_NOW | RTLD_LOCAL);
}

bool belfry_nats_load(void) {
  void *handle = open_library();
  if (!handle) return false;
  void **functions = (void **)&library;
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *function = dlsym(handle, names[index]);
    if (!function) return false;
    functions[index] = function;
  }
  return true;
}

void natsConnection_Close(natsConnection *nc) { library.natsConnection_Close(nc); }
natsStatus natsConnection_Connect(natsConnection **nc, natsOptions *options) { return library.natsConnection_Connect(nc, options); }
void natsConnection_Destroy(natsConnection *nc) { library.natsConnection_Destroy(nc); }
natsStatus natsConnection_FlushTimeout(natsConnection *nc, int64_t timeout) { return library.natsConnection_FlushTimeout(nc, timeout); }
natsStatus natsConnection_GetLastError(natsConnection *nc, const char **lastError) { return library.natsConnection_GetLastError(nc, lastError); }
int64_t natsConnection_GetMaxPayload(natsConnection *nc) { return library.natsConnection_GetMaxPayload(nc); }
natsStatus natsConnection_Publish(natsConnection *nc, const char *subj, const void *data, int dataLen) { return library.natsConnection_Publish(nc, subj, data, dataLen); }
natsStatus natsConnection_Subscribe(natsSubscription **sub, natsConnection *nc, const char *subject, natsMsgHandler cb, void *cbClosure) { return library.natsConnection_Subscribe(sub, nc, subject, cb, cbClosure); }
void natsMsg_Destroy(natsMsg *msg) { library.natsMsg_Destroy(msg); }
const char*natsMsg_GetData(const natsMsg *msg) { return library.natsMsg_GetData(msg); }
int natsMsg_GetDataLength(const natsMsg *msg) { return library.natsMsg_GetDataLength(msg); }
const char*natsMsg_GetSubject(const natsMsg *msg) { return library.natsMsg_GetSubject(msg); }
natsStatus natsOptions_Create(natsOptions **newOpts) { return library.natsOptions_Create(newOpts); }
void natsOptions_Destroy(natsOptions *opts) { library.natsOptions_Destroy(opts); }
natsStatus natsOptions_LoadCATrustedCertificates(natsOptions *opts, const char *fileName) { return library.natsOptions_LoadCATrustedCertificates(opts, fileName); }
natsStatus natsOptions_LoadCertificatesChain(natsOptions *opts, const char *certsFileName, const char *keyFileName) { return library.natsOptions_LoadCertificatesChain(opts, certsFileName, keyFileName); }
natsStatus natsOptions_SetAllowReconnect(natsOptions *opts, bool allow) { return library.natsOptions_SetAllowReconnect(opts, allow); }
natsStatus natsOptions_SetClosedCB(natsOptions *opts, natsConnectionHandler closedCb, void *closure) { return library.natsOptions_SetClosedCB(opts, closedCb, closure); }
natsStatus natsOptions_SetErrorHandler(natsOptions *opts, natsErrHandler errHandler, void *closure) { return library.natsOptions_SetErrorHandler(opts, errHandler, closure); }
natsStatus natsOptions_SetExpectedHostname(natsOptions *opts, const char *hostname) { return library.natsOptions_SetExpectedHostname(opts, hostname); }
natsStatus natsOptions_SetMaxPendingMsgs(natsOptions *opts, int maxPending) { return library.natsOptions_SetMaxPendingMsgs(opts, maxPending); }
natsStatus natsOptions_SetMaxPingsOut(natsOptions *opts, int maxPingsOut) { return library.natsOptions_SetMaxPingsOut(opts, maxPingsOut); }
natsStatus natsOptions_SetName(natsOptions *opts, const char *name) { return library.natsOptions_SetName(opts, name); }
natsStatus natsOptions_SetPingInterval(natsOptions *opts, int64_t interval) { return library.natsOptions_SetPingInterval(opts, interval); }
natsStatus natsOptions_SetSecure(natsOptions *opts, bool secure) { return library.natsOptions_SetSecure(opts, secure); }
natsStatus natsOptions_SetSendAsap(natsOptions *opts, bool sendAsap) { return library.natsOptions_SetSendAsap(opts, sendAsap); }
natsStatus natsOptions_SetTimeout(natsOptions *opts, int64_t timeout) { return library.natsOptions_SetTimeout(opts, timeout); }
natsStatus natsOptions_SetURL(natsOptions *opts, const char *url) { return library.natsOptions_SetURL(opts, url); }
natsStatus natsOptions_SetUserCredentialsFromFiles(natsOptions *opts, const char *userOrChainedFile, const char *seedFile) { return library.natsOptions_SetUserCredentialsFromFiles(opts, userOrChainedFile, seedFile); }
natsStatus natsOptions_SetUserInfo(natsOptions *opts, const char *user, const char *password) { return library.natsOptions_SetUserInfo(opts, user, password); }
natsStatus natsOptions_SetWriteDeadline(natsOptions *opts, int64_t deadline) { return library.natsOptions_SetWriteDeadline(opts, deadline); }
natsStatus natsOptions_UseGlobalMessageDelivery(natsOptions *opts, bool global) { return library.natsOptions_UseGlobalMessageDelivery(opts, global); }
const char*natsStatus_GetText(natsStatus s) { return library.natsStatus_GetText(s); }
void natsSubscription_Destroy(natsSubscription *sub) { library.natsSubscription_Destroy(sub); }
natsStatus natsSubscription_GetDropped(natsSubscription *sub, int64_t *msgs) { return library.natsSubscription_GetDropped(sub, msgs); }
natsStatus natsSubscription_SetPendingLimits(natsSubscription *sub, int msgLimit, int bytesLimit) { return library.natsSubscription_SetPendingLimits(sub, msgLimit, bytesLimit); }
const char*nats_GetLastError(natsStatus *status) { return library.nats_GetLastError(status); }
