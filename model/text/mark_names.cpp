#include "model/text/mark_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "model/text/text_form.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

// The names of one sound in one language, separated by '|'. The first one is shown.
struct Names {
  std::string_view language;
  std::string_view names;
};
using Sound = std::array<Names, 5>;

constexpr std::array<Sound, 15> kSounds{{
    {{{"de", "Applaus|Beifall|Klatschen|klatscht|Applaus und Jubel"},
      {"en", "applause|clapping|applauding|audience applauds"},
      {"fr", "applaudissements"},
      {"es", "aplausos"},
      {"it", "applausi"}}},
    {{{"de", "Gelächter|Lachen|lacht|lachend|Heiterkeit|lachen"},
      {"en", "laughter|laughs|laughing|chuckles|chuckling"},
      {"fr", "rires|rire"},
      {"es", "risas"},
      {"it", "risate"}}},
    {{{"de", "Musik|Musik spielt"},
      {"en", "music|music playing|♪"},
      {"fr", "musique"},
      {"es", "música"},
      {"it", "musica"}}},
    {{{"de", "Gesang|singt|singen"},
      {"en", "singing|sings"},
      {"fr", "chant"},
      {"es", "canto"},
      {"it", "canto"}}},
    {{{"de", "Jubel|jubelt"},
      {"en", "cheering|cheers"},
      {"fr", "acclamations"},
      {"es", "vítores"},
      {"it", "acclamazioni"}}},
    {{{"de", "Husten|hustet"},
      {"en", "coughing|coughs|cough"},
      {"fr", "toux"},
      {"es", "tos"},
      {"it", "tosse"}}},
    {{{"de", "Räuspern|räuspert sich"},
      {"en", "clears throat"},
      {"fr", "raclement de gorge"},
      {"es", "carraspeo"},
      {"it", "schiarisce la gola"}}},
    {{{"de", "Seufzen|seufzt"},
      {"en", "sighs|sighing|sigh"},
      {"fr", "soupir"},
      {"es", "suspiro"},
      {"it", "sospiro"}}},
    {{{"de", "Stille|Schweigen|schweigt"},
      {"en", "silence|silent"},
      {"fr", "silence"},
      {"es", "silencio"},
      {"it", "silenzio"}}},
    {{{"de", "unverständlich|unhörbar|undeutlich"},
      {"en", "inaudible|unintelligible|indistinct"},
      {"fr", "inaudible"},
      {"es", "inaudible"},
      {"it", "incomprensibile"}}},
    {{{"de", "Zwischenruf|Zuruf|Zurufe|Zwischenrufe|Gegenruf"},
      {"en", "interjection|interjections|heckling"},
      {"fr", "interruption"},
      {"es", "interrupción"},
      {"it", "interruzione"}}},
    {{{"de", "Unruhe|Stimmengewirr"},
      {"en", "commotion|crosstalk"},
      {"fr", "agitation"},
      {"es", "alboroto"},
      {"it", "brusio"}}},
    {{{"de", "Geräusch|Geräusche|Lärm|Rauschen"},
      {"en", "noise|noises|static"},
      {"fr", "bruit"},
      {"es", "ruido"},
      {"it", "rumore"}}},
    {{{"de", "Pause"}, {"en", "pause"}, {"fr", "pause"}, {"es", "pausa"}, {"it", "pausa"}}},
    {{{"de", "Telefon klingelt|Klingeln|klingelt"},
      {"en", "phone ringing|ringing|rings"},
      {"fr", "sonnerie"},
      {"es", "timbre"},
      {"it", "squillo"}}},
}};

std::string spoken(std::string_view text) {
  std::string joined;
  for (const std::string_view word : split_words(text)) {
    joined += (joined.empty() ? "" : " ") + spoken_word(word);
  }
  return joined;
}

std::vector<std::string_view> split(std::string_view names) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != names.npos;) {
    end = names.find('|');
    parts.push_back(names.substr(0, end));
    names.remove_prefix(std::min(parts.back().size() + 1, names.size()));
  }
  return parts;
}

bool has(const Sound& sound, const std::string& name) {
  return std::any_of(sound.begin(), sound.end(), [&](const Names& known) {
    const std::vector<std::string_view> names = split(known.names);
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view one) { return spoken(one) == name; });
  });
}

// Returns the name in `language`, or nullopt if the sound or the language is unknown.
std::optional<std::string_view> name_in(std::string_view language, std::string_view content) {
  const std::string name = spoken(content);
  for (const Sound& sound : kSounds) {
    const auto known = std::find_if(sound.begin(), sound.end(), [&](const Names& names) {
      return names.language == language.substr(0, language.find('-'));
    });
    if (known != sound.end() && has(sound, name)) {
      return split(known->names).front();
    }
  }
  return std::nullopt;
}

}  // namespace

std::string translate_marks(std::string_view text, std::string_view language) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('['), text.size());
    const std::size_t close = text.find(']', open);
    if (close == text.npos) {
      break;
    }
    const std::string_view content = text.substr(open + 1, close - open - 1);
    result.append(text.substr(0, open + 1)).append(name_in(language, content).value_or(content));
    result += ']';
    text.remove_prefix(close + 1);
    if (text.starts_with('.')) {
      text.remove_prefix(1);  // it has only ended the sentence of the mark
    }
  }
  return result.append(text);
}

}  // namespace surtitle
