#pragma once
#include <microhttpd.h>
#include <sys/socket.h>

// A daemon with a thread for each connection; variadic functions are not imported into Swift.
static inline struct MHD_Daemon *belfry_mhd_start(int is_ipv6, const void *address,
                                                  MHD_AccessHandlerCallback handler,
                                                  MHD_RequestCompletedCallback completed, void *user,
                                                  unsigned connections, unsigned timeout_seconds,
                                                  size_t connection_bytes) {
  unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL;
  if (is_ipv6) flags |= MHD_USE_IPv6;
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, user,
                          MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)address,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, user,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_bytes,
                          MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
                          MHD_OPTION_END);
}

static inline uint16_t belfry_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

static inline unsigned belfry_mhd_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

static inline int belfry_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
