// Boost.Asio and Boost.Beast under short names. Everything of the daemon that touches sockets runs
// on the one thread that runs its io_context, so its members need no locks and no strands.
#pragma once

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

namespace surtitle {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using boost::system::error_code;

}  // namespace surtitle
