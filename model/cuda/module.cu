#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "model/cuda/module.h"
#include "model/cuda/platform.h"
#include "model/cuda/session.h"

namespace surtitle::cuda_module {

struct Session {
  std::unique_ptr<cuda::Session> session;
};

namespace {

void put(std::string_view text, char* to, std::size_t capacity) {
  const std::size_t length = std::min(text.size(), capacity - 1);
  *std::replace_copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), to, '\n',
                     ' ') = '\0';
}

// Runs `body`. Reports an exception and returns false.
template <typename Body>
bool guarded(Error* error, const Body& body) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception& caught) {
    put(caught.what(), error->text.data(), error->text.size());
  } catch (...) {
    put("unknown failure in the CUDA module", error->text.data(), error->text.size());
  }
  return false;
}

bool find(char* name, std::size_t capacity, Error* error) noexcept {
  return guarded(error, [&] { put(cuda::device_name(), name, capacity); });
}

Session* open(const Model* model, const Options* options, Error* error) noexcept {
  Session* session = nullptr;
  guarded(error, [&] { session = new Session{cuda::open_session(*model, *options)}; });
  return session;
}

void close(Session* session) noexcept { delete session; }

int slots(const Session* session) noexcept { return session->session->slots(); }

bool encode(Session* session, const EncodeRow* rows, std::size_t count, Error* error) noexcept {
  return guarded(error, [&] { session->session->encode({rows, count}); });
}

bool decode(Session* session, const DecodeRow* rows, Outcome* outcomes, std::size_t count,
            Error* error) noexcept {
  return guarded(error, [&] { session->session->decode({rows, count}, {outcomes, count}); });
}

bool wait(Session* session, Error* error) noexcept {
  return guarded(error, [&] { session->session->wait(); });
}

bool copy_rate(double* bytes_per_second, Error* error) noexcept {
  return guarded(error, [&] {
    constexpr int kCopies = 32;
    const auto bytes = std::min(std::size_t{512} << 20, cuda::device_memory_left() / 4);
    cuda::Stream stream;
    const auto from = cuda::allocate<unsigned char>(bytes);
    const auto to = cuda::allocate<unsigned char>(bytes);
    *bytes_per_second = 0;
    for (int run = 0; run < 3; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kCopies; ++i) stream.copy(to.get(), from.get(), bytes);
      stream.synchronize();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      *bytes_per_second =
          std::max(*bytes_per_second, 2.0 * kCopies * static_cast<double>(bytes) / seconds.count());
    }
  });
}

}  // namespace
}  // namespace surtitle::cuda_module

const surtitle::cuda_module::Functions* surtitle_cuda_functions() {
  using namespace surtitle::cuda_module;
  static const Functions functions = {kVersion, find,   open, close,    slots,
                                      encode,   decode, wait, copy_rate};
  return &functions;
}
