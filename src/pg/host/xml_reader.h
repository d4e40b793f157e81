/*
 * xml_reader.h - XML documents by libxml2, the parser that the server itself is linked with.
 */
#ifndef PGFIT_XML_READER_H
#define PGFIT_XML_READER_H

#include "core/base/env.h"

/*
 * Functions for Env.read_xml: of a document as bytes in the encoding that it names, and as text in the encoding of the database. NULL: the server
 * was built without libxml2, or its headers were not there when this was.
 */
extern void (*const xml_read_bytes)(Env *env, const uint8_t *bytes, size_t length, struct XmlTree *tree);
extern void (*const xml_read_text)(Env *env, const uint8_t *bytes, size_t length, struct XmlTree *tree);

#endif
