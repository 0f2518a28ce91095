#pragma once
// TLS over buffers that all connections of a loop share: a BIO that reads from and appends to a `belfry_tls_exchange`,
// so that connections don't need their own BIO buffers.
#include <openssl/bio.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct belfry_tls_exchange {
  const uint8_t *input;
  size_t input_count;
  uint8_t *output;
  size_t output_count;
  size_t output_capacity;
};

// Reserves space for `more` bytes of output; returns 0 if memory is exhausted.
static inline int belfry_tls_reserve(struct belfry_tls_exchange *exchange, size_t more) {
  if (exchange->output_capacity - exchange->output_count >= more) return 1;
  size_t capacity = exchange->output_capacity ? exchange->output_capacity : 65536;
  while (capacity - exchange->output_count < more) capacity *= 2;
  uint8_t *grown = realloc(exchange->output, capacity);
  if (!grown) return 0;
  exchange->output = grown;
  exchange->output_capacity = capacity;
  return 1;
}

static inline int belfry_tls_bio_read(BIO *bio, char *target, int length) {
  struct belfry_tls_exchange *exchange = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (!exchange || !target || length <= 0 || exchange->input_count == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  size_t count = (size_t)length < exchange->input_count ? (size_t)length : exchange->input_count;
  memcpy(target, exchange->input, count);
  exchange->input += count;
  exchange->input_count -= count;
  return (int)count;
}

static inline int belfry_tls_bio_write(BIO *bio, const char *source, int length) {
  struct belfry_tls_exchange *exchange = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (!exchange || !source || length < 0 || !belfry_tls_reserve(exchange, (size_t)length)) return -1;
  memcpy(exchange->output + exchange->output_count, source, (size_t)length);
  exchange->output_count += (size_t)length;
  return length;
}

static inline long belfry_tls_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static inline int belfry_tls_bio_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static inline BIO_METHOD *belfry_tls_bio_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "belfry exchange");
  if (!method) return NULL;
  BIO_meth_set_read(method, belfry_tls_bio_read);
  BIO_meth_set_write(method, belfry_tls_bio_write);
  BIO_meth_set_ctrl(method, belfry_tls_bio_control);
  BIO_meth_set_create(method, belfry_tls_bio_create);
  return method;
}

// Functions that replace OpenSSL's macros, which Swift doesn't import.
static inline long belfry_ctx_set_minimum_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}
static inline long belfry_ctx_set_groups(SSL_CTX *context, const char *list) {
  return SSL_CTX_set1_groups_list(context, list);
}
static inline long belfry_ctx_set_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_mode(context, mode);
}
static inline long belfry_ctx_set_session_cache_off(SSL_CTX *context) {
  return SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline long belfry_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline long belfry_ssl_add_chain_certificate(SSL *ssl, X509 *certificate) {
  return SSL_add1_chain_cert(ssl, certificate);
}
// Uses the certificate, key, and chain from `source` for this connection only.
static inline int belfry_ssl_use_identity(SSL *ssl, SSL_CTX *source) {
  X509 *certificate = SSL_CTX_get0_certificate(source);
  EVP_PKEY *key = SSL_CTX_get0_privatekey(source);
  STACK_OF(X509) *chain = NULL;
  if (!certificate || !key || SSL_CTX_get0_chain_certs(source, &chain) != 1) return 0;
  return SSL_use_cert_and_key(ssl, certificate, key, chain, 1);
}
static inline const char *belfry_ssl_server_name(SSL *ssl) {
  return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
}
static inline long belfry_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}
