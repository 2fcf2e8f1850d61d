"""
Starts llama.cpp's server with a tiny language model of random weights on a free port of the loopback address, and prints its address.
Usage: llama_server.py MODEL_FILE CONTEXT_TOKENS ANSWER_TOKENS. The file is written if it does not exist. ANSWER_TOKENS of -1 is no limit.

Needs the packages xllamacpp (llama.cpp with its server) and gguf.
"""
import os
import sys
import threading

import gguf
import numpy
import xllamacpp

WIDTH, HEADS, LAYERS, INNER_WIDTH, CONTEXT = 64, 4, 2, 128, 65_536
# What the model prefers among the characters that a grammar allows, so that texts and lists end. It avoids what is not ASCII.
PREFERENCES = {**dict.fromkeys("abcdefghijklmnopqrstuvwxyz0123456789 ", 0.25), "{": 0.7, "]": 0.65, "}": 0.6, ",": 0.2, '"': 0.75, ".": -0.2}


def write_model(path):
    """Writes a llama with two layers of random weights, and with a vocabulary of the 256 bytes."""
    random = numpy.random.default_rng(22)
    kind = gguf.TokenType
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER_WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(each) for each in [kind.UNKNOWN, kind.CONTROL, kind.CONTROL] + [kind.BYTE] * 256])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(False)

    def add(name, values):
        writer.add_tensor(name, values.astype(numpy.float32))

    def draw(*shape, scale=1.0):
        return random.standard_normal(shape) * scale

    # All tokens share their first number, which reaches the output, where it is the preference.
    embedding = draw(len(tokens), WIDTH, scale=0.5)
    embedding[:, 0] += 4
    output = draw(len(tokens), WIDTH, scale=0.02)
    output[:, 0] = 0
    for character, weight in PREFERENCES.items():
        output[3 + ord(character), 0] = weight
    output[3 + 128 :, 0] = -2
    output[:2, 0], output[2, 0] = -2, 0.8
    add("token_embd.weight", embedding)
    add("output_norm.weight", numpy.ones(WIDTH))
    add("output.weight", output)
    for layer in range(LAYERS):
        add(f"blk.{layer}.attn_norm.weight", numpy.ones(WIDTH))
        add(f"blk.{layer}.ffn_norm.weight", numpy.ones(WIDTH))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", draw(WIDTH, WIDTH, scale=WIDTH**-0.5))
        for name in ("ffn_gate", "ffn_up"):
            add(f"blk.{layer}.{name}.weight", draw(INNER_WIDTH, WIDTH, scale=WIDTH**-0.5))
        add(f"blk.{layer}.ffn_down.weight", draw(WIDTH, INNER_WIDTH, scale=INNER_WIDTH**-0.5))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


path, context, answer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if not os.path.exists(path):
    write_model(path)
parameters = xllamacpp.CommonParams()
parameters.model.path = path
parameters.n_ctx = context
parameters.n_parallel = 1
parameters.n_predict = answer
parameters.port = 0
parameters.warmup = False
parameters.use_jinja = True
parameters.cpuparams.n_threads = 1
server = xllamacpp.Server(parameters)
print(f"Listening on {server.listening_address}", flush=True)
threading.Event().wait()
