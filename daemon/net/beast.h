// Boost.Asio and Boost.Beast under short names.
//
// All code of the daemon that uses sockets runs on the one thread of its io_context. It needs no
// locks and no strands.
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
