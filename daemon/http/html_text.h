// The text of HTML, in pieces between its tags.
//
// It follows the syntax of HTML, not the tree: any text can be divided, and the sources of all
// pieces, joined, are the document again.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct HtmlPiece {
  std::string_view source;               // as it is in the document
  std::optional<std::string> text = {};  // to translate, decoded; nullopt: the piece stays as it is
};

// Divides a document. In a text, entities are decoded and runs of white space become one space,
// except in <pre> and <textarea>. Tags, comments, <script>, <style>, <code> and elements with
// translate="no" or the class notranslate stay as they are. REQUIRES: `html` outlives the pieces.
std::vector<HtmlPiece> split_html(std::string_view html);

}  // namespace surtitle
