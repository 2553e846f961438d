import './responses';
import './streams';
import './transport';
