#include "daemon/protocol/track_json.h"

#include <boost/json.hpp>

#include "daemon/base/json_writer.h"

namespace surtitle::protocol {

std::string tracks_json(const std::vector<Track>& tracks) {
  return json_array(tracks, [](const Track& track) {
    return JsonWriter()
        .field("name", track.name)
        .field("target", track.target)
        .field("model", track.model)
        .field("policy", track.policy)
        .finish();
  });
}

std::vector<Track> read_tracks(JsonFields& fields) {
  std::vector<Track> tracks;
  for (const boost::json::object* item : fields.objects("tracks")) {
    JsonFields one(*item, "tracks");
    tracks.push_back({one.text("name"), one.text("target"), one.text("model"), one.text("policy")});
    fields.adopt_error(one);
  }
  return tracks;
}

}  // namespace surtitle::protocol
