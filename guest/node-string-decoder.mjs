import stringDecoder from 'string_decoder/';

export default stringDecoder;
